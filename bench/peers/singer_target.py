"""A target on the Meltano SDK, as its cookiecutter makes one: a BatchSink whose process_batch() sends what was collected."""

from uuid import uuid4

import requests
from singer_sdk import typing as th
from singer_sdk.singerlib.json import serialize_json
from singer_sdk.sinks import BatchSink
from singer_sdk.target_base import Target


class AnalyticsSink(BatchSink):
    max_size = 100

    def process_batch(self, context):
        keys = list(self.key_properties)
        points = [
            {"keys": keys, **record} if keys else {"keys": ["_raw_id"], "_raw_id": str(uuid4()), **record}
            for record in context["records"]
        ]
        path = f"{self.config['import_url']}/v2/client/{self.config['client_id']}/table/{self.stream_name}/data"
        headers = {"Content-Type": "application/json"}
        answer = requests.post(
            path, params={"apikey": self.config["api_key"]}, data=serialize_json(points).encode(), headers=headers
        )
        answer.raise_for_status()


class TargetAnalytics(Target):
    name = "target-analytics"
    config_jsonschema = th.PropertiesList(
        th.Property("import_url", th.StringType, required=True),
        th.Property("client_id", th.IntegerType, required=True),
        th.Property("api_key", th.StringType, required=True),
    ).to_dict()
    default_sink_class = AnalyticsSink


TargetAnalytics.cli()
