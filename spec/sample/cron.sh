#!/bin/sh
# A sync of a file of Airbyte messages, as cron runs it every hour:
#
#   5 * * * * cd /srv/connector && sh spec/sample/cron.sh config.json catalog.json messages.jsonl states.jsonl >> sync.log 2>&1
#
# The file of STATE lines grows by those of each run; everything in front of a STATE is stored, however the run ended. Give the last
# one of each stream to your source: `jq -cR 'fromjson?' states.jsonl` leaves out what a full disk tore. What `write` logs of an outage,
# and what is said on standard error, the reason of a failure above all, are printed; the latter is kept in states.jsonl.errors with
# the time. The exit code is that of `write`, or 75 if the run before it is still going (flock, of util-linux, tells).
set -u
# states, messages of the connector and errors are for the owner alone
umask 077
config=$1 catalog=$2 messages=$3 states=$4 unkept=0

exec 9> "$states.lock"
flock -n 9 || { echo 'The run before this one is still going. The next one tries again.'; exit 75; }

# what the program prints, and the same once its STATEs are kept
new=$states.said.new said=$states.said
# A full disk tears the last line: of the STATEs there, which must not go on here, and of what was printed, which the mark tells.
keep() {
  { [ -z "$(tail -c 1 "$states" 2>/dev/null)" ] || echo >> "$states"; } &&
    { cat "$new"; echo '!'; } | sed -n '/!$/d; /^{"type":"STATE"/p' >> "$states" && mv -f "$new" "$said" && return
  said=$new
  echo "Rows are stored, STATEs not kept: make room for $states, or let this user append to it. The next run begins by keeping them."
  return 1
}
# left over where this script was killed, or had no room
[ ! -e "$new" ] || keep || exit 1

# to the log and into the file: the disk of one of them may be full
code=$({
  { ${ANALYTICS:-node src/start.js} write --config "$config" --catalog "$catalog" < "$messages" > "$new" 9>&- 3>&-; echo $? >&3; } 2>&1 |
    tee -a "$states.errors" >&2
} 3>&1)
keep || unkept=1
grep '^{"type":"LOG".*"event":"outage\.' "$said" >&2
[ "$code" = 0 ] || echo "That was $(date -u +%FT%TZ), exit code $code." >> "$states.errors"

case $code in
  0)
    [ "$unkept" = 0 ] || exit 1
    rejected=$(sed -n 's/^{"type":"LOG","log":{"level":"INFO","message":"\(Rejected: .*, kept in .*\)"}}$/\1/p' "$said" | tail -n 1 | tr -d '\\')
    echo "Everything is stored${rejected:+ but what was rejected. $rejected}." ;;
  1)
    # in the TRACE, whether a later run may do better
    if grep -q '"failure_type":"transient_error"' "$said"
    then echo 'It failed for now. The next run goes on from the last STATE.'
    else echo 'It fails until somebody corrects what the error says.'
    fi ;;
  2) echo 'It did not begin: the command is wrong, or a file of it cannot be used. Nothing was read.' ;;
  129 | 130 | 143) echo 'It was stopped. The next run goes on from the last STATE.' ;;
  *) echo "It ended with $code: a crash, or killed, perhaps for its memory. The next run goes on from the last STATE." ;;
esac
exit "$code"
