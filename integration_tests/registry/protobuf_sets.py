"""Writes random sets of .proto files that protoc takes, with values of their messages as Google's library writes and reads them:
a JSON text a line. Reads {"seed", "sets", "values", "file"} from standard input;
with "longest" only sets no longer than that in which what a file does not see matters."""

import base64
import json
import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import grpc_tools
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message
from grpc_tools import protoc

from draw import Draw
from draw_protos import Protos
from protobuf_values import WELL_KNOWN, _fill_message, expected, fill, scalar

# what it holds would have to be of the same set
WELL_KNOWN["google.protobuf.Any"] = lambda message, draw: None
GOOGLE = Path(grpc_tools.__file__).parent / "_proto"


def main() -> None:
    job = json.loads(sys.stdin.read())
    made = 0
    with open(job["file"], "w", encoding="utf-8") as out:
        index = 0
        while made < job["sets"]:
            index += 1
            draw = Draw(f"{job['seed']} {index}")
            protos = Protos(draw)
            files = compiled(protos)
            if files is None:
                continue
            line = json.dumps(a_set(protos, files, draw, job["values"]), ensure_ascii=False)
            if "longest" not in job or (len(line) <= job["longest"] and protos.shadowed > 1):
                out.write(line + "\n")
                made += 1
    print(f"{made} of {index} sets are schemas")


def compiled(protos: Protos) -> "list[descriptor_pb2.FileDescriptorProto] | None":
    """With all they import, those first; none: protoc refuses the set."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in protos.texts.items():
            file = Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        target = Path(folder, "set")
        arguments = [f"--proto_path={folder}", f"--proto_path={GOOGLE}", "--include_imports", f"--descriptor_set_out={target}"]
        with silenced():
            if protoc.main(["protoc", *arguments, protos.root]) != 0:
                return None
        return list(descriptor_pb2.FileDescriptorSet.FromString(target.read_bytes()).file)


@contextmanager
def silenced():
    """protoc writes past Python."""
    if os.environ.get("PROTOC_LOUD"):
        yield
        return
    kept, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(null)


def a_set(protos: Protos, files: list, draw: Draw, values: int) -> dict:
    pool = descriptor_pool.DescriptorPool()
    for file in files:
        pool.Add(file)
    own = [file for file in files if not file.name.startswith("google/")]
    root = pool.FindFileByName(protos.root)
    kinds = list(of_all(root.message_types_by_name.values()))
    kinds = [kind for kind in kinds if not kind.GetOptions().message_set_wire_format]
    return {
        "root": protos.root,
        "files": {
            file.name: {
                "text": protos.texts[file.name],
                "descriptor": base64.b64encode(file.SerializeToString()).decode(),
                "imports": [path for path in file.dependency if not path.startswith("google/")],
            }
            for file in own
        },
        "values": [a_value(draw.one(kinds), pool, draw) for _ in range(values)],
    }


def of_all(kinds):
    for kind in kinds:
        if not kind.GetOptions().map_entry:
            yield kind
            yield from of_all(kind.nested_types)


def a_value(kind: Descriptor, pool: descriptor_pool.DescriptorPool, draw: Draw) -> dict:
    message = message_factory.GetMessageClass(kind)()
    fill(message, draw)
    extend(message, pool, draw)
    for field, inner in list(message.ListFields()):
        if isinstance(inner, Message) and not field.is_extension:
            extend(inner, pool, draw)
    written = message.SerializeToString()
    read = message_factory.GetMessageClass(kind).FromString(written)
    return {
        "type": kind.full_name,
        # of a descriptor its entries of maps count
        "indexes": indexes(kind, True),
        "textIndexes": indexes(kind, False),
        "bytes": base64.b64encode(written).decode(),
        "json": json.dumps(expected(read), ensure_ascii=False),
    }


def extend(message: Message, pool: descriptor_pool.DescriptorPool, draw: Draw) -> None:
    for field in pool.FindAllExtensions(message.DESCRIPTOR):
        if field.containing_type.full_name.startswith("google.") or draw.chance(0.4):
            continue
        if field.message_type is None and field.is_repeated:
            message.Extensions[field].extend(draw.some(lambda field=field: scalar(field, draw)))
        elif field.message_type is None:
            message.Extensions[field] = scalar(field, draw)
        elif field.is_repeated:
            _fill_message(message.Extensions[field].add(), draw, 1)
        else:
            message.Extensions[field].SetInParent()
            _fill_message(message.Extensions[field], draw, 1)


def indexes(kind: Descriptor, entries: bool) -> list[int]:
    around = kind.containing_type
    among = kind.file.message_types_by_name.values() if around is None else around.nested_types
    counted = [one.full_name for one in among if entries or not one.GetOptions().map_entry]
    return [*(indexes(around, entries) if around else []), counted.index(kind.full_name)]


main()
