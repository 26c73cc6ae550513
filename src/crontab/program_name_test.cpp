#include "crontab/program_name.hpp"

#include <gtest/gtest.h>

namespace carillon {
namespace {

TEST(ProgramName, a_command_is_named_after_what_it_does) {
  struct Case {
    std::string_view command;
    std::string_view name;
  };
  for (const auto& [command, name] : {
           Case{"/usr/local/bin/backup.sh --full", "backup"},
           Case{"cd / && run-parts --report /etc/cron.hourly", "cron.hourly"},
           Case{"test -x /usr/sbin/anacron || ( cd / && run-parts --report /etc/cron.daily )", "cron.daily"},
           Case{"[ -x /usr/bin/certbot ] && certbot -q renew", "certbot"},
           Case{"command -v debian-sa1 > /dev/null && debian-sa1 1 1", "debian-sa1"},
           Case{"FOO=bar nice -n 19 /opt/x/sync-files", "sync-files"},
           Case{"flock -n /run/lock/r.lock /opt/report.py", "report"},
           Case{"/usr/bin/python3 -u /srv/app/report.py > /dev/null 2>&1", "report"},
           Case{"php artisan schedule:run", "artisan"},
           Case{"timeout 5m \"/opt/my tool\"", "my"},
           Case{"sleep 30; /opt/late", "late"},
           Case{"perl -e 'sleep int(rand(60))' && certbot -q renew", "certbot"},
           Case{"if [ -x /a ] && [ $(date +%d) -le 7 ]; then /usr/share/checkarray --all; fi", "checkarray"},
           Case{"cd /srv", "cd"},
           Case{"bash", "bash"},
           Case{"/", ""},
           Case{"", ""},
           Case{"&& || ; ( )", ""},
       }) {
    EXPECT_EQ(program_name(command), name) << command;
  }
}

}  // namespace
}  // namespace carillon
