#!/bin/sh
# Stands for git on the PATH of a cfa that is to die inside a git command: at the call number CRASH_AT among those
# whose arguments hold CRASH_ON, cfa is killed as CRASH_HOW says. What agents run is passed on as it is.
real=@GIT@
[ -n "${CRASH_AT:-}" ] || exec "$real" "$@"
case " $* " in
  *"$CRASH_ON"*) printf . >>"$CRASH_DIR/calls" ;;
  *) exec "$real" "$@" ;;
esac
[ "$(wc -c <"$CRASH_DIR/calls")" -ge "$CRASH_AT" ] && mkdir "$CRASH_DIR/crashed" 2>/dev/null || exec "$real" "$@"
case $CRASH_HOW in
  before) # git does not even begin
    kill -KILL "$PPID"
    ;;
  after) # git has done it, cfa never hears of it
    "$real" "$@" >/dev/null
    kill -KILL "$PPID"
    ;;
  amid) # both die at once, as when a container is stopped
    exec 3<&0
    "$real" "$@" <&3 >/dev/null &
    sleep "${CRASH_SLEEP:-0.003}"
    kill -KILL "$PPID" $!
    ;;
  orphan) # cfa dies, git goes on for a while
    kill -KILL "$PPID"
    sleep 2
    exec "$real" "$@" >/dev/null
    ;;
esac
