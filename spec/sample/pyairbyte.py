import airbyte as ab

destination = ab.get_destination(
    "destination-analytics-service",
    config={"import_url": "http://127.0.0.1:8585", "client_id": 7, "api_key": "demo-key"},
    local_executable="destination-analytics-service",
)
destination.check()

source = ab.get_source("source-faker", config={"count": 100}, streams="*")
destination.write(source, cache=False)
