# Does with PyAirbyte what it is told, one step after another, and writes down what came of each. `drive.py JOB RESULTS`, two
# JSON files. Uses the public interface as a program of a user does; knows nothing of what should come of it.

import json
import os
import sys

import airbyte as ab

# The one thing that is not public: how its own smoke test digs the words of a connector out of the log.
from airbyte._util.destination_smoke_tests import _sanitize_error as words_of

with open(sys.argv[1], encoding="utf-8") as job:
    steps = json.load(job)
sources = {}


def source_of(step):
    key = json.dumps(step["source"])
    if key not in sources:
        sources[key] = ab.get_source(**step["source"], streams="*")
    return sources[key]


def start_of(step):
    if "image" in step:
        return {"docker_image": step["image"], "use_host_network": True}
    return {"local_executable": step["executable"]}


def do(step):
    # our wrappers keep copies under this name
    os.environ["CAPTURE"] = step.get("capture", "")
    destination = ab.get_destination(
        "destination-analytics-service",
        config=step["config"],
        **start_of(step),
    )
    try:
        if "write" not in step:
            destination.check()
            return {}
        written = destination.write(source_of(step), **step["write"])
        states = written.get_state_provider().known_stream_names
        return {"records": written.processed_records, "states": sorted(states)}
    except ab.exceptions.PyAirbyteError as error:
        return {"failed": type(error).__name__, "message": str(error), "words": words_of(error)}


with open(sys.argv[2], "w", encoding="utf-8") as results:
    json.dump([do(step) for step in steps], results)
