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
config=$1 catalog=$2 messages=$3 states=$4

exec 9> "$states.lock"
flock -n 9 || { echo 'The run before this one is still going. The next one tries again.'; exit 75; }

said=$states.said
# to the log and into the file: the disk of one of them may be full
code=$({
  { ${ANALYTICS:-node src/start.js} write --config "$config" --catalog "$catalog" < "$messages" > "$said" 9>&- 3>&-; echo $? >&3; } 2>&1 |
    tee -a "$states.errors" >&2
} 3>&1)
# a full disk tears the last line: of the run before, which must not go on here, and of this one, which the mark tells
[ -z "$(tail -c 1 "$states" 2>/dev/null)" ] || echo >> "$states"
{ cat "$said"; echo '!'; } | grep '^{"type":"STATE"' | grep -v '!$' >> "$states"
grep '^{"type":"LOG".*"event":"outage\.' "$said" >&2
[ "$code" = 0 ] || echo "That was $(date -u +%FT%TZ), exit code $code." >> "$states.errors"

case $code in
  0)
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
