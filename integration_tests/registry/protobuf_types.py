"""Compiles the .proto files by protoc, and makes Python's classes of their messages. Knows no value."""

import tempfile
from functools import cache
from pathlib import Path

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from grpc_tools import protoc
import grpc_tools

SCHEMAS = Path(__file__).parent / "schemas"


@cache
def message_type(name: str):
    """@param name full, of a message in thing.proto, common/money.proto or old.proto"""
    return message_factory.GetMessageClass(_pool().FindMessageTypeByName(name))


@cache
def _pool() -> descriptor_pool.DescriptorPool:
    with tempfile.NamedTemporaryFile() as file:
        own = Path(grpc_tools.__file__).parent / "_proto"
        arguments = [f"--proto_path={SCHEMAS}", f"--proto_path={own}", "--include_imports"]
        if protoc.main(["protoc", *arguments, f"--descriptor_set_out={file.name}", "thing.proto", "old.proto"]) != 0:
            raise RuntimeError("protoc did not take the schemas")
        files = descriptor_pb2.FileDescriptorSet.FromString(Path(file.name).read_bytes())
    pool = descriptor_pool.Default()
    for one in files.file:
        if not one.name.startswith("google/"):
            pool.Add(one)
    return pool
