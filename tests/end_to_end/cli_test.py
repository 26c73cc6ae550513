#!/usr/bin/env python3
"""The real binary: exit codes, streams, pipes, strange input. Usage: cli_test.py PATH_OF_CARILLON [unittest options]"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CARILLON = sys.argv.pop(1) if len(sys.argv) > 1 else "carillon"
NOW = "2026-10-29T14:22:05Z"
ENVIRONMENT = {"CARILLON_NOW": NOW, "LANG": "C.UTF-8", "PATH": os.environ.get("PATH", "")}
# Sanitizers look for these.
ENVIRONMENT |= {name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS") if name in os.environ}


def carillon(*arguments, text="", **environment):
    """Runs the command; standard input is closed after `text`."""
    if isinstance(text, str):
        text = text.encode()
    return subprocess.run([CARILLON, *arguments], input=text, capture_output=True, timeout=60,
                          env=ENVIRONMENT | environment)


def lines_of(run):
    return run.stdout.decode().splitlines()


class Answers(unittest.TestCase):
    def assert_line(self, run, *parts):
        """One line of the answer has all the parts."""
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(any(all(part in line for part in parts) for line in lines_of(run)), run.stdout.decode())

    def test_next_shows_local_time_utc_distance_and_remarks(self):
        run = carillon("next", "30 1 * * *", "--tz", "America/New_York", "-n", "4")

        self.assertEqual(run.returncode, 0)
        self.assertEqual(run.stderr, b"")
        self.assertEqual(lines_of(run), [
            "At 01:30 every day (America/New_York)",
            "  1  Fri 30 Oct 01:30 EDT   05:30Z   in 15h07m",
            "  2  Sat 31 Oct 01:30 EDT   05:30Z   in 1d15h",
            "  3  Sun  1 Nov 01:30 EDT   05:30Z   in 2d15h    ⚠ 01:30 happens twice this day; only the first, EDT, counts",
            "  4  Mon  2 Nov 01:30 EST   06:30Z   in 3d16h    ← UTC shifts by 1 h",
        ])

    def test_a_skipped_time_runs_once_when_the_gap_ends(self):
        for zone, after, parts in [
            ("America/New_York", "2027-03-13T12:00:00Z", ("14 Mar 2027 03:00 EDT", "02:30 does not exist this day")),
            ("Europe/Berlin", "2027-03-27T12:00:00Z", ("28 Mar 2027 03:00 CEST", "clocks go forward 02:00 → 03:00")),
        ]:
            with self.subTest(zone=zone):
                self.assert_line(carillon("next", "30 2 * * *", "--tz", zone, "--after", after, "-n", "3"), *parts)

    def test_half_an_hour_of_summer_time(self):
        run = carillon("next", "15 2 * * *", "--tz", "Australia/Lord_Howe", "--after", "2027-10-01T00:00:00Z", "-n", "4")

        self.assert_line(run, "Sun  3 Oct 2027 02:30 +11", "clocks go forward 02:00 → 02:30")

    def test_a_day_that_a_country_left_out_is_not_made_up(self):
        run = carillon("next", "0 9 * * *", "--tz", "Pacific/Apia", "--after", "2011-12-28T00:00:00Z", "-n", "4",
                       "--json", "local")

        self.assertEqual([each["local"][:10] for each in json.loads(run.stdout)],
                         ["2011-12-28", "2011-12-29", "2011-12-31", "2012-01-01"])

    def test_a_gap_that_ends_at_midnight_belongs_to_the_day_before(self):
        run = carillon("next", "45 23 * * *", "--tz", "Asia/Pyongyang", "--after", "2018-05-04T00:00:00Z", "-n", "2")

        self.assert_line(run, "Sat  5 May 2018 00:00 KST", "23:45 does not exist on Fri  4 May")

    def test_previous_runs_go_back_in_time(self):
        run = carillon("next", "0 0 1 * *", "--before", NOW, "-n", "2", "-o", "csv")

        self.assertEqual([line.split(",")[0] for line in lines_of(run)],
                         ["nominal", "2026-10-01T00:00:00Z", "2026-09-01T00:00:00Z"])

    def test_a_spec_comes_from_standard_input(self):
        spec = "intervals: [{every: 1h, anchor: epoch}]\ntimezone: Europe/Berlin\n"

        run = carillon("next", "--spec", "-", "-n", "1", "-o", "json", text=spec)

        answer = json.loads(run.stdout)
        self.assertEqual(answer["timezone"], "Europe/Berlin")
        self.assertEqual([each["nominal"] for each in answer["occurrences"]], ["2026-10-29T15:00:00Z"])

    def test_tzdir_says_where_the_zones_are(self):
        with tempfile.TemporaryDirectory() as folder:
            run = carillon("next", "0 9 * * *", "--tz", "Europe/Berlin", TZDIR=folder)

        self.assertNotEqual(run.returncode, 0)
        self.assertIn(b"error:", run.stderr)

    def test_version_names_the_zone_data(self):
        run = carillon("version", "-o", "json")

        self.assertEqual(set(json.loads(run.stdout)), {"version", "commit", "compiler", "tzdata"})

    def test_every_zone_that_is_listed_can_be_used(self):
        names = lines_of(carillon("zones", "-q", "--all"))
        questions = "".join(json.dumps({"spec": {"cron": "0 9 * * *", "timezone": name}}) + "\n" for name in names)

        run = carillon("next", "--batch", text=questions)

        self.assertGreater(len(names), 400)
        self.assertEqual([line for line in lines_of(run) if "error" in line], [])


class ExitCodes(unittest.TestCase):
    def test_each_ending_has_its_code(self):
        for expected, arguments in [
            (0, []),
            (0, ["help"]),
            (0, ["--help"]),
            (0, ["--version"]),
            (0, ["next", "--help"]),
            (0, ["next", "@daily"]),
            (0, ["describe", "0 9 * * 1-5"]),
            (0, ["lint", "0 9 * * 1-5"]),
            (0, ["zones", "berlin"]),
            (0, ["completion", "bash"]),
            (2, ["nxt"]),
            (2, ["next"]),
            (2, ["next", "--nope"]),
            (2, ["next", "61 * * * *"]),
            (2, ["next", "0 0 31 2 *"]),
            (2, ["next", "@daily", "--tz", "Mars/Olympus"]),
            (2, ["next", "--spec", "no-such-file.yaml"]),
            (2, ["next", "--spec", "/"]),
            (2, ["describe", ""]),
            (2, ["lint", "61 * * * *"]),
            (2, ["lint", "no-such-file.yaml"]),
            (3, ["zones", "atlantis"]),
            (7, ["lint", "0 9 1 * MON"]),
            (7, ["lint", "0 0 31 2 *"]),
        ]:
            with self.subTest(arguments=arguments):
                run = carillon(*arguments)

                self.assertEqual(run.returncode, expected, run.stderr)
                self.assertEqual(expected in (2, 3) and arguments[0] != "lint", run.stderr != b"")

    def test_an_error_leaves_standard_output_empty(self):
        run = carillon("next", "0 25 * * *")

        self.assertEqual(run.stdout, b"")
        self.assertIn(b"[invalid-cron] exit 2", run.stderr)
        self.assertIn(b"  0 25 * * *\n    ^\n", run.stderr)
        self.assertIn(b"  Hint: ", run.stderr)

    def test_a_full_disk_is_a_failure(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full here")
        with open("/dev/full", "wb") as full:
            run = subprocess.run([CARILLON, "next", "@daily"], stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT)

        self.assertEqual(run.returncode, 1)
        self.assertIn(b"standard output", run.stderr)


class StrangeInput(unittest.TestCase):
    TEXTS = [
        b"", b" ", b"\t\t", b"\n", b"-", b"--", b"*", b"* * * *", b"* * * * * * *", b"*" * 1000, b"* " * 50000,
        b"9" * 100000, b"1," * 60000, b"@", b"@reboot", b"@every 5m", b"@daily @daily", b"\x1b[2J\x1b]0;x\x07",
        b"\xff\xfe\xfd", b"\xc3\xa9 * * * *", "٥ * * * *".encode(), "０ ９ * * *".encode(), b"0 9 * * \xe2\x80\xae",
        b"4294967301 * * * *", b"*/0 * * * *", b"1-0/0 * * * *", b"22-2 * * * *", b"0 0 31 2 *", b"0 0 L-31 * *",
        b"%s%n%s", b"{}", b"[a,b]", b"{0}", b"$(id)", b"`id`", b"../../etc/passwd", b"0 0 1W,LW,L-40 * *", b"? ? ? ? ?",
        b"0x5 * * * *", b"1.5 * * * *", b"+5 * * * *", b"1,,2 * * * *", b"\xf0\x9f\x98\x80 * * * *", b"# * * * *",
    ]

    def assert_refused(self, run, text):
        self.assertEqual(run.returncode, 2, (text[:80], run.stdout[:300], run.stderr[:300]))
        self.assertLess(len(run.stderr), 4000, text[:80])
        self.assertIn(b"Hint: ", run.stderr, text[:80])
        run.stderr.decode("utf-8")
        self.assertFalse(any(byte < 32 and byte != 10 for byte in run.stderr), run.stderr[:300])

    def test_any_expression_is_refused_politely(self):
        for verb in ("next", "describe"):
            for text in self.TEXTS:
                with self.subTest(verb=verb, text=text[:40]):
                    self.assert_refused(carillon(verb, "--", text), text)

    def test_any_zone_is_refused_politely(self):
        for text in self.TEXTS + [b"EST", b"CET", b"GMT+5", b"europe/berlin", b"/etc/passwd", b"posix/Europe/Berlin",
                                  b"right/UTC", b"Factory", b"localtime", b"Europe/../Europe/Berlin", b"Europe/Berlin/",
                                  b"Europe//Berlin", b"zone.tab", b"Europe"]:
            with self.subTest(text=text[:40]):
                self.assert_refused(carillon("next", "@daily", b"--tz=" + text if text[:1] == b"-" else b"--tz", text)
                                    if text else carillon("next", "@daily", "--tz", ""), text)

    def test_any_time_is_refused_politely(self):
        for text in self.TEXTS[2:] + [b"2026-02-30", b"2026-10-29T25:00:00Z", b"99999-01-01", b"2026-10-29T14:22:60Z"]:
            with self.subTest(text=text[:40]):
                self.assert_refused(carillon("next", "@daily", b"--after=" + text), text)

    def test_any_file_is_refused_politely(self):
        nested = b"[" * 100000
        bombs = [b"", b"{", b"[1,", nested, b"a: &a [*a]", b"\x00\x01\x02", b"\xff\xfe", b"cron: [", b"cron: 5",
                 b"cron: '0 25 * * *'", b"nope: 1", b"- 1", b"spec: 7", b"schedules: 7", b"schedules: [7]", b"x: " + b"y" * 5_000_000,
                 b"a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\n"
                 b"d: &d [*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e]\n",
                 b"cron: \"0 9 * * *\"\ncron: \"0 9 * * *\"\n", b"timezone: 1\n", b"{\"cron\": \"\\u0000\"}"]
        with tempfile.TemporaryDirectory() as folder:
            for ending in ("yaml", "json"):
                for number, text in enumerate(bombs):
                    path = pathlib.Path(folder) / f"{number}.{ending}"
                    path.write_bytes(text)
                    with self.subTest(ending=ending, text=text[:40]):
                        self.assert_refused(carillon("next", "--spec", str(path)), text)
                        self.assertEqual(carillon("lint", str(path)).returncode, 2)


class Batch(unittest.TestCase):
    def test_a_hundred_thousand_lines_get_as_many_answers(self):
        expressions = ["*/15 9-17 * * 1-5", "0 9 * * 1-5", "0 0 1 1 *", "0 0 29 2 *", "30 2 * * *", "0 0 13 * 5"]
        zones = ["UTC", "America/New_York", "Europe/Berlin"]
        questions = "".join(
            '{"spec":{"cron":"%s","timezone":"%s"},"after":"20%02d-01-01T00:00:00Z","count":%d}\n'
            % (expressions[i % 6], zones[i % 3], i % 70 + 10, i % 3 + 1) for i in range(100_000))

        run = carillon("next", "--batch", text=questions)

        self.assertEqual(run.returncode, 0)
        answers = lines_of(run)
        self.assertEqual(len(answers), 100_000)
        self.assertTrue(all(len(json.loads(line)["next"]) == i % 3 + 1 for i, line in enumerate(answers)))

    def test_answers_come_while_more_questions_are_awaited(self):
        process = subprocess.Popen([CARILLON, "next", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   env=ENVIRONMENT)
        for day in ("29", "30"):
            process.stdin.write(b'{"spec":"0 12 * * *","after":"2026-10-%sT00:00:00Z"}\n' % day.encode())
            process.stdin.flush()
            self.assertEqual(json.loads(process.stdout.readline()), {"next": [f"2026-10-{day}T12:00:00Z"]})
        process.stdin.close()
        self.assertEqual(process.wait(timeout=60), 0)
        process.stdout.close()

    def test_a_bad_line_is_answered_and_the_next_one_too(self):
        lines = [b"", b"   ", b"{", b"7", b'{"spec":"61 * * * *"}', b'{"spec":{"timezone":"Nowhere"}}', b"\xff\xfe",
                 b"x" * 2_000_000, b'{"spec":"@daily","count":1}\r']

        run = carillon("next", "--batch", text=b"\n".join(lines))

        answers = [json.loads(line) for line in lines_of(run)]
        self.assertEqual(run.returncode, 0)
        self.assertEqual([answer.get("error", {}).get("code") for answer in answers],
                         ["invalid-json", "not-an-object", "invalid-cron", "unknown-zone", "invalid-json", "line-too-long", None])
        self.assertEqual(answers[-1], {"next": ["2026-10-30T00:00:00Z"]})


class Pipes(unittest.TestCase):
    def test_a_reader_who_goes_away_is_no_failure(self):
        for arguments, text in [(["next", "* * * * *", "-n", "100000"], b""),
                                (["next", "--batch"], b'{"spec":"* * * * *","count":10000}\n' * 100)]:
            with self.subTest(arguments=arguments):
                process = subprocess.Popen([CARILLON, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, env=ENVIRONMENT)
                process.stdin.write(text)
                process.stdin.flush()
                process.stdout.read(10)
                process.stdout.close()
                _, error = process.stdin.close(), process.stderr.read()
                process.stderr.close()

                self.assertEqual((process.wait(timeout=60), error), (0, b""))

    def test_colours_only_when_asked_for(self):
        self.assertNotIn(b"\x1b", carillon("next", "@daily").stdout)
        self.assertIn(b"\x1b", carillon("next", "@daily", "--color", "always").stdout)
        self.assertIn(b"\x1b", carillon("next", "@daily", CLICOLOR_FORCE="1").stdout)
        self.assertNotIn(b"\x1b", carillon("next", "@daily", CLICOLOR_FORCE="1", NO_COLOR="1").stdout)

    def test_ascii_alone_where_the_locale_is_not_utf8(self):
        run = carillon("next", "30 1 * * *", "--tz", "America/New_York", LANG="C")

        self.assertTrue(run.stdout.isascii())
        self.assertIn(b"! 01:30 happens twice this day; only the first, EDT, counts", run.stdout)


class Lint(unittest.TestCase):
    def test_folders_are_read_in_the_order_of_names(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "b").mkdir()
            (path / "b" / "x.yml").write_text("spec:\n  cron: ['0 9 1 * MON']\n")
            (path / "a.yaml").write_text("cron: '0 9 1 * MON'\n")
            (path / "c.json").write_text('{"cron": "0 9 1 * MON"}')
            (path / "notes.txt").write_text("not a schedule")

            run = carillon("lint", folder, "-o", "json")

        self.assertEqual(run.returncode, 7)
        found = json.loads(run.stdout)
        self.assertEqual([(os.path.relpath(each["file"], folder), each["line"], each["code"]) for each in found
                          if each["code"] == "dom-dow-or"],
                         [("a.yaml", 1, "dom-dow-or"), ("b/x.yml", 2, "dom-dow-or"), ("c.json", 1, "dom-dow-or")])
        self.assertEqual(list(found[0]), ["file", "line", "column", "code", "severity", "message", "fix"])


class Completion(unittest.TestCase):
    def test_bash_completes_verbs_flags_and_zones(self):
        script = 'source <("$1" completion bash); carillon() { "$BINARY" "$@"; }; COMP_WORDS=(carillon %s); COMP_CWORD=%d; ' \
                 '_carillon; printf "%%s\\n" "${COMPREPLY[@]}"'
        for words, index, expected in [("ne", 1, "next"), ("next --af", 2, "--after"), ("next --tz Europe/Berl", 3, "Europe/Berlin"),
                                       ("help exit", 2, "exit-codes")]:
            with self.subTest(words=words):
                run = subprocess.run(["bash", "-c", script % (words, index), "bash", CARILLON], capture_output=True,
                                     env=ENVIRONMENT | {"BINARY": CARILLON}, timeout=60)
                self.assertIn(expected, run.stdout.decode().split(), run.stderr)


if __name__ == "__main__":
    unittest.main()
