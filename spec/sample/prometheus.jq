# A summary as Prometheus text, with the names of /metrics: jq -r -f prometheus.jq summary.json. Its counters are those of one run.
def quoted: tostring | gsub("(?<sign>[\\\\\"])"; "\\\(.sign)") | gsub("\n"; "\\n") | "\"\(.)\"";
def family($name; $type; $help; samples): "# HELP \($name) \($help)", "# TYPE \($name) \($type)",
  (samples | "\($name){\(.[0] | to_entries | map("\(.key)=\(.value | quoted)") | join(","))} \(.[1])");
def by_table(count): .rows | group_by(.table)[] | [{table: (.[0].table // "")}, (map(count) | add)];
{written: "written", rejected: "rejected", ignored: "ignored", rowless: "tombstone_without_a_row",
  tableless: "delete_without_a_table"} as $results
| family("analytics_run_exit_code"; "gauge"; "Of the last run; -1: it is under way or was killed."; [{command}, .exit_code // -1]),
  family("analytics_stream_read_records_total"; "counter"; "Records read, by stream or topic.";
    .rows[] | select(.counts.records) | [{topic: .name, table: (.table // "")}, .counts.records]),
  family("analytics_stream_settled_records_total"; "counter"; "Records that need not be read again, by what became of them.";
    .rows[] | {topic: .name, table: (.table // "")} as $row | .counts | to_entries[] | select($results[.key])
    | [$row + {result: $results[.key]}, .value]),
  family("analytics_stream_request_attempts_total"; "counter"; "Request attempts."; by_table(.attempts)),
  family("analytics_stream_delivered_requests_total"; "counter"; "Requests the service accepted."; by_table(.requests))
