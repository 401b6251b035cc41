"""A destination on the Python CDK, as its docs and its template show one: write() buffers, and flushes before each STATE."""

import sys
from uuid import uuid4

import requests
from airbyte_cdk.destinations import Destination
from airbyte_cdk.models import AirbyteConnectionStatus, ConnectorSpecification, DestinationSyncMode, Status, Type

BATCH = 100


class AnalyticsDestination(Destination):
    def spec(self, logger):
        return ConnectorSpecification(connectionSpecification={"type": "object", "properties": {}})

    def check(self, logger, config):
        return AirbyteConnectionStatus(status=Status.SUCCEEDED)

    def write(self, config, configured_catalog, input_messages):
        session = requests.Session()
        keys = {
            it.stream.name: [path[-1] for path in it.primary_key]
            for it in configured_catalog.streams
            if it.destination_sync_mode == DestinationSyncMode.append_dedup
        }
        buffers = {it.stream.name: [] for it in configured_catalog.streams}

        def flush(name):
            points, buffers[name] = buffers[name], []
            if points:
                path = f"{config['import_url']}/v2/client/{config['client_id']}/table/{name}/data"
                answer = session.post(path, params={"apikey": config["api_key"]}, json=points)
                answer.raise_for_status()

        for message in input_messages:
            if message.type == Type.RECORD:
                name, data = message.record.stream, message.record.data
                if name in keys:
                    buffers[name].append({"keys": keys[name], **data})
                else:
                    buffers[name].append({"keys": ["_airbyte_raw_id"], "_airbyte_raw_id": str(uuid4()), **data})
                if len(buffers[name]) == BATCH:
                    flush(name)
            elif message.type == Type.STATE:
                for name in buffers:
                    flush(name)
                yield message
        for name in buffers:
            flush(name)


AnalyticsDestination().run(sys.argv[1:])
