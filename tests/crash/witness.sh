#!/bin/bash
# What the tests' commands do: say in a file that they run, then behave as they are told.
#
#     witness.sh FILE BEHAVIOUR [SECONDS]
#
# Each line is one write at the end of the file, so that lines of several processes never mix. Nothing else is started
# for a line: hundreds of these may run on a small machine.

file=$1
behaviour=$2
seconds=${3:-0}

# The launcher is our parent and the server its own. Whoever took in the launcher of a dead server is no worker.
worker=null
if read -r _ _ _ server _ </proc/$PPID/stat && read -r name </proc/"$server"/comm; then
  case $name in carillon*) worker="\"$HOSTNAME-$server\"" ;; esac
fi 2>/dev/null

say() {
  local now=$EPOCHREALTIME
  TZ=UTC0 printf '{"run":"%s","attempt":%s,"worker":%s,"event":"%s","at":"%(%Y-%m-%dT%H:%M:%S)T.%sZ","pid":%s}\n' \
    "$CARILLON_RUN_NAME" "$CARILLON_ATTEMPT" "$worker" "$1" "${now%.*}" "${now#*.}" $$ >>"$file"
}

[ "$behaviour" = stubborn ] && trap '' TERM
say start
status=0
case $behaviour in
  succeed) ;;
  fail) status=3 ;;
  fail_first) [ "$CARILLON_ATTEMPT" -gt 1 ] || status=3 ;;
  hang_first) [ "$CARILLON_ATTEMPT" -gt 1 ] || sleep 600 ;;
  sleep | stubborn) sleep "$seconds" ;;
  beat)
    for _ in $(seq "$((seconds * 10))"); do
      sleep 0.1
      say beat
    done
    ;;
  brood)
    sleep 600 &
    setsid sleep 600 &
    sleep "$seconds"
    ;;
  *) status=64 ;;
esac
say end
exit $status
