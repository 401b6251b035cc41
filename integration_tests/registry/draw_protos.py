"""Sets of .proto files drawn at random, which import each other and reuse few names in few packages, so that what a name means
depends on what its file sees. Knows no value; protoc says which of them are schemas."""

from dataclasses import dataclass, field

from draw import Draw

PACKAGES = ("", "a", "a", "a.b", "a.b", "a.b.c", "b", "b.a", "a.a")
NAMES = ("M", "N", "Money", "Status", "a", "b", "c")
SYNTAXES = ('syntax = "proto3";', 'syntax = "proto3";', 'syntax = "proto2";', "", 'edition = "2023";', 'edition = "2024";')
SCALARS = (
    *("int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32", "sfixed64"),
    *("bool", "string", "bytes", "double", "float"),
)
KEYS = ("int32", "sint64", "uint64", "bool", "string", "fixed32")
KNOWN = {
    "timestamp": ("Timestamp",),
    "wrappers": ("Int64Value", "StringValue"),
    "type": ("Type", "Field", "Syntax"),
    "api": ("Api",),
    "descriptor": ("DescriptorProto", "FieldOptions", "Edition"),
    "struct": ("Struct",),
}
OPTIONS = """syntax = "proto2"; package opt.pkg; import "google/protobuf/descriptor.proto";
message Opt { optional int32 i = 1; optional double d = 2; repeated Opt o = 3; optional string s = 4; }
extend google.protobuf.FieldOptions { optional Opt opt = 50001; }
extend google.protobuf.MessageOptions { repeated Opt opts = 50001; }
extend google.protobuf.EnumValueOptions { optional double value = 50001; }
"""
AGGREGATES = (
    "{ i: - 1 d: -inf o < s: 'x;}' o < > > o { s: \"[\" }; }",
    "{ i: 0x1F, o: [{ i: 1 }, < i: 2 >] /* } */ s: 'a' \"b\" }",
    "{ }",
)


@dataclass(eq=False)
class Kind:
    """A message or an enum."""

    name: str
    file: "File"
    is_message: bool
    inner: "list[Kind]" = field(default_factory=list)
    extended: bool = False


@dataclass(eq=False)
class File:
    path: str
    package: str
    syntax: str
    imports: "list[tuple[File, str]]" = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)

    @property
    def is_old(self) -> bool:
        return self.syntax in ("", SYNTAXES[2])

    @property
    def is_edition(self) -> bool:
        return self.syntax.startswith("edition")

    @property
    def is_newest(self) -> bool:
        return self.syntax == SYNTAXES[5]

    def sees(self) -> "list[File]":
        seen = [self]
        for one in seen:
            seen.extend(to for to, how in one.imports if (one is self or how == "public") and to not in seen)
        return seen


class Protos:
    """@ivar texts: by path; @ivar root: the path of one that imports most others, directly or not"""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._count = 0
        # names that would mean something else if a file saw all others
        self.shadowed = 0
        self._symbols: dict[str, Kind] = {}
        self._taken: set[str] = set()
        self._files: list[File] = []
        for index in range(draw.integer(2, 7)):
            self._add_file(f"{draw.one(('', 'x/', 'x/y/'))}f{index}.proto")
        self.root = self._files[-1].path
        last = self._files[-1]
        # a value needs a message of the last one
        self._add_kind(Kind(f"{last.package}.Root" if last.package else "Root", last, True), last.kinds)
        for file in self._files:
            for _ in range(draw.integer(1, 3)):
                self._declare(file, file.package, file.kinds, 2)
        self.texts = {"opts.proto": OPTIONS, **{file.path: self._text(file) for file in self._files}}

    def _next(self) -> int:
        self._count += 1
        return self._count

    def _add_file(self, path: str) -> None:
        draw = self._draw
        file = File(path, draw.one(PACKAGES), draw.one(SYNTAXES))
        for other in self._files:
            if draw.chance(0.35):
                file.imports.append((other, draw.one(("", "", "public", "public", "" if file.is_newest else "weak"))))
        file.known = [name for name in KNOWN if draw.chance(0.15)]
        self._files.append(file)
        # of all that nothing imports the last one imports
        reached = [file]
        for one in reached:
            reached.extend(to for to, _ in one.imports if to not in reached)
        for other in self._files:
            if other not in reached and draw.chance(0.5):
                file.imports.append((other, ""))

    def _declare(self, file: File, scope: str, kinds: list[Kind], depth: int) -> None:
        draw = self._draw
        name = draw.one(NAMES)
        full = f"{scope}.{name}" if scope else name
        packages = [f"{one.package}." for one in self._files]
        if full in self._taken or any(package.startswith(f"{full}.") for package in packages):
            return
        kind = Kind(full, file, draw.chance(0.7))
        self._add_kind(kind, kinds)
        if kind.is_message:
            kind.extended = file.syntax != SYNTAXES[0] and draw.chance(0.6)
            for _ in range(draw.integer(0, 2) if depth else 0):
                self._declare(file, full, kind.inner, depth - 1)

    def _add_kind(self, kind: Kind, kinds: list[Kind]) -> None:
        self._taken.add(kind.name)
        self._symbols[kind.name] = kind
        kinds.append(kind)

    def _resolve(self, name: str, scope: str, seen: list[File]) -> "Kind | None":
        """As protoc does, so that most sets are schemas. @param seen by the file that uses the name"""
        if name.startswith("."):
            found = self._symbols.get(name[1:])
            return found if found is not None and found.file in seen else None
        first, _, rest = name.partition(".")
        parts = scope.split(".") if scope else []
        for size in range(len(parts), -1, -1):
            full = ".".join([*parts[:size], first])
            found = self._symbols.get(full)
            if found is not None and found.file in seen:
                if not rest:
                    return found
                inner = self._symbols.get(f"{full}.{rest}")
                return inner if inner is not None and inner.file in seen else None
            if rest and any(f"{one.package}.".startswith(f"{full}.") for one in seen):
                inner = self._symbols.get(f"{full}.{rest}")
                return inner if inner is not None and inner.file in seen else None
        return None

    def _type(self, file: File, scope: str, messages: bool = False) -> "tuple[str, Kind | None]":
        """A spelling of a type that the file sees; none: a scalar."""
        draw = self._draw
        if not messages and draw.chance(0.3):
            return draw.one(SCALARS), None
        seen = file.sees()
        targets = [kind for kind in self._symbols.values() if kind.file in seen]
        plain = None
        for _ in range(6):
            parts = draw.one(targets or [None]).name.split(".") if targets else [""]
            spellings = [".".join(parts[at:]) for at in range(len(parts))] + [f".{'.'.join(parts)}"]
            spelling = draw.one(spellings[:-1] * 3 + spellings[-1:])
            found = self._resolve(spelling, scope, seen)
            if found is None or (messages and not found.is_message):
                continue
            if self._resolve(spelling, scope, self._files) not in (None, found):
                self.shadowed += 1
                return self._spaced(spelling), found
            plain = self._spaced(spelling), found
        return plain or (draw.one(SCALARS), None)

    def _spaced(self, path: str) -> str:
        return path.replace(".", self._draw.one((" . ", ". ", "/**/."))) if self._draw.chance(0.1) else path

    def _text(self, file: File) -> str:
        draw = self._draw
        lines = [file.syntax, f"package {self._spaced(file.package)};" if file.package else ""]
        lines += [f'import {how} "{to.path}";' for to, how in file.imports]
        lines += [f'import "google/protobuf/{name}.proto";' for name in file.known]
        features = [
            *(["field_presence: IMPLICIT"] if draw.chance(0.4) else []),
            *(["message_encoding: DELIMITED"] if draw.chance(0.3) else []),
            # names of all kinds are drawn
            *(["enforce_naming_style: STYLE_LEGACY"] if file.is_newest else []),
        ]
        if file.is_edition and draw.boolean():
            lines += [f"option features.{feature.replace(':', ' =')};" for feature in features]
        elif file.is_edition and features:
            lines.append(f"option features = {{ {draw.one((', ', ' ', ';')).join(features)} }};")
        body = [self._kind(kind, 1) for kind in file.kinds]
        if file.is_old or file.is_edition:
            body.append(self._extensions(file, file.package))
        if any(".opt.pkg" in one for one in body):
            lines.append('import "opts.proto";')
        lines += body
        if draw.chance(0.1):
            lines.append(f"message Set{self._next()} {{ option message_set_wire_format = true; extensions 4 to max; }}" if file.is_old else "")
        return "\n".join(line for line in lines if line)

    def _kind(self, kind: Kind, level: int) -> str:
        return self._message(kind, level) if kind.is_message else self._enum(kind)

    def _enum(self, kind: Kind) -> str:
        draw = self._draw
        values = [f"V{self._next()} = 0;"]
        for number in (1, 2, 5):
            sign = draw.one(("", "", "-", "- ", "-/* */"))
            options = draw.one(("", "", " [deprecated = true]", " [(.opt.pkg.value) = - 1.5e+3]"))
            values.append(f"V{self._next()} = {sign}{number}{options};")
        reserved = draw.one(("", "reserved - 9 to - 7, 100 to max;", "option deprecated = true;"))
        export = draw.one(("", "export ", "local ")) if kind.file.is_newest and draw.chance(0.3) else ""
        return f"{export}enum {kind.name.split('.')[-1]} {{ {reserved} {' '.join(values)} }}"

    def _message(self, kind: Kind, level: int) -> str:
        draw = self._draw
        body = [self._kind(inner, level + 1) for inner in kind.inner]
        body += [self._field(kind.file, kind.name, number) for number in range(1, draw.integer(2, 6))]
        if kind.name.endswith("Root"):
            body += self._all_seen(kind.file)
        if draw.chance(0.2):
            members = " ".join(self._member(kind.file, kind.name, number) for number in range(20, 23))
            body.append(f"oneof o{self._next()} {{ {members} }}")
        if kind.extended:
            body.append("extensions 1000 to max;")
        if kind.file.syntax != SYNTAXES[0] and draw.chance(0.2):
            body.append(self._extensions(kind.file, kind.name))
        body.append(draw.one(("", "", "reserved 500, 600 to 700;", f"option (.opt.pkg.opts) = {draw.one(AGGREGATES)};", "// }\n;")))
        return f"message {kind.name.split('.')[-1]} {{ {' '.join(body)} }}"

    def _all_seen(self, file: File) -> list[str]:
        """A field for each message that the file sees, so that values of most messages come up."""
        label = "optional " if file.is_old else ""
        seen = [kind.name for kind in self._symbols.values() if kind.is_message and kind.file in file.sees()]
        return [f"{label}.{name} s{number} = {number};" for number, name in enumerate(seen, 200)]

    def _options(self, file: File, more: str = "") -> str:
        draw = self._draw
        options = [more] if more else []
        if draw.chance(0.1):
            options.append(f"(.opt.pkg.opt) = {draw.one(AGGREGATES)}")
        if draw.chance(0.1):
            options.append("deprecated = true")
        return f" [{', '.join(options)}]" if options else ""

    def _name(self, scope: str) -> str:
        name = self._draw.one(NAMES).lower()
        if self._draw.chance(0.1) and f"{scope}.{name}" not in self._taken:
            self._taken.add(f"{scope}.{name}")
            return name
        return f"f{self._next()}"

    def _field(self, file: File, scope: str, number: int) -> str:
        draw = self._draw
        if draw.chance(0.15):
            key, (value, _) = draw.one(KEYS), self._type(file, scope)
            # floats are compared by the name of their member
            value = "double" if value == "float" else value
            return f"map < {key} , {value} > m{self._next()} = {number}{self._options(file)};"
        if file.is_old and draw.chance(0.15):
            return f"{draw.one(('optional', 'repeated'))} {self._group(file, scope, number)}"
        if file.known and draw.chance(0.3):
            known = draw.one(file.known)
            type_name, kind = f"google.protobuf.{draw.one(KNOWN[known])}", None
            # a message of the file may be in the way
            type_name = f".{type_name}" if draw.chance(0.5) else type_name
        else:
            type_name, kind = self._type(file, scope)
        label = draw.one(("optional ", "optional ", "repeated ")) if file.is_old else draw.one(("", "", "repeated "))
        if file.syntax == SYNTAXES[0] and draw.chance(0.2):
            label = "optional "
        more = ""
        if label != "repeated " and type_name == "int32" and file.is_old:
            more = draw.one(("default = - 5", "default = 0x1f", ""))
        elif file.is_edition and label == "" and type_name in SCALARS and draw.chance(0.3):
            more = draw.one(("features.field_presence = EXPLICIT", "features = { field_presence : IMPLICIT }"))
        elif file.is_edition and kind is not None and kind.is_message and draw.chance(0.3):
            more = draw.one(("features.message_encoding = DELIMITED", "features.message_encoding = LENGTH_PREFIXED"))
        name = f"float32_{self._next()}" if type_name == "float" else self._name(scope)
        return f"{label}{type_name} {name} = {number}{self._options(file, more)};"

    def _member(self, file: File, scope: str, number: int) -> str:
        if file.is_old and self._draw.chance(0.3):
            return self._group(file, scope, number)
        type_name, _ = self._type(file, scope)
        name = f"float32_{self._next()}" if type_name == "float" else self._name(scope)
        return f"{type_name} {name} = {number};"

    def _group(self, file: File, scope: str, number: int) -> str:
        name = f"G{self._next()}"
        inner = f"{scope}.{name}" if scope else name
        fields = " ".join(self._field(file, inner, at) for at in range(1, 3))
        return f"group {name} = {number}{self._options(file)} {{ {fields} extensions 100; }}"

    def _extensions(self, file: File, scope: str) -> str:
        draw = self._draw
        found = []
        for _ in range(draw.integer(0, 2)):
            spelling, extendee = self._type(file, scope, messages=True)
            if extendee is None or not extendee.extended:
                continue
            number = 1000 + self._next()
            label = draw.one(("optional ", "repeated ")) if file.is_old else draw.one(("", "repeated "))
            if file.is_old and draw.chance(0.2):
                field = f"{label}{self._group(file, scope, number)}"
            else:
                type_name, _ = self._type(file, scope)
                name = f"float32_{self._next()}" if type_name == "float" else f"e{self._next()}"
                field = f"{label}{type_name} {name} = {number};"
            found.append(f"extend {spelling} {{ {field} }}")
        return "\n".join(found)
