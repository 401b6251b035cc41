// Texts of .proto files of google and confluent that ship with every serialiser, so that no registry stores them. Those of google/protobuf
// are from release 36 of Protobuf. What does not decide how bytes are read is left out: comments, and all options but `map_entry`.

import type { ProtoFile } from './protobuf-file.ts'
import { readProtoText } from './protobuf-text.ts'

export const DESCRIPTOR_PATH = 'google/protobuf/descriptor.proto'

/** The known file of a path, read anew. `undefined` when no such file is known. */
export function knownFile(path: string): ProtoFile | undefined {
  const text = ONLY_OPTIONS.test(path) ? '' : path === DESCRIPTOR_PATH ? DESCRIPTOR : PROTO3.get(path)
  return text === undefined ? undefined : readProtoText(text, path)
}

/** Files that declare nothing but options, which are not read: an empty text takes their place. */
const ONLY_OPTIONS = /^(?:google\/protobuf\/(?:cpp|go|java)_features|confluent\/meta)\.proto$/

/** Files of proto3 by their path without `.proto`. Their first two statements are added in PROTO3: the syntax, and the folder as package. */
const TEXTS: Readonly<Record<string, string>> = {
  'google/type/calendar_period': `
    enum CalendarPeriod { CALENDAR_PERIOD_UNSPECIFIED = 0; DAY = 1; WEEK = 2; FORTNIGHT = 3; MONTH = 4; QUARTER = 5; HALF = 6;
    YEAR = 7; }`,
  'google/type/color': `
    import "google/protobuf/wrappers.proto"; message Color { float red = 1; float green = 2; float blue = 3;
    google.protobuf.FloatValue alpha = 4; }`,
  'google/type/date': 'message Date { int32 year = 1; int32 month = 2; int32 day = 3; }',
  'google/type/datetime': `
    import "google/protobuf/duration.proto"; message DateTime { int32 year = 1; int32 month = 2; int32 day = 3;
    int32 hours = 4; int32 minutes = 5; int32 seconds = 6; int32 nanos = 7; oneof time_offset {
    google.protobuf.Duration utc_offset = 8; TimeZone time_zone = 9; } }
    message TimeZone { string id = 1; string version = 2; }`,
  'google/type/dayofweek': `
    enum DayOfWeek { DAY_OF_WEEK_UNSPECIFIED = 0; MONDAY = 1; TUESDAY = 2; WEDNESDAY = 3; THURSDAY = 4; FRIDAY = 5;
    SATURDAY = 6; SUNDAY = 7; }`,
  'google/type/decimal': 'message Decimal { string value = 1; }',
  'google/type/expr': `
    message Expr { string expression = 1; string title = 2; string description = 3; string location = 4; }`,
  'google/type/fraction': 'message Fraction { int64 numerator = 1; int64 denominator = 2; }',
  'google/type/interval': `
    import "google/protobuf/timestamp.proto"; message Interval { google.protobuf.Timestamp start_time = 1;
    google.protobuf.Timestamp end_time = 2; }`,
  'google/type/latlng': 'message LatLng { double latitude = 1; double longitude = 2; }',
  'google/type/localized_text': 'message LocalizedText { string text = 1; string language_code = 2; }',
  'google/type/money': 'message Money { string currency_code = 1; int64 units = 2; int32 nanos = 3; }',
  'google/type/month': `
    enum Month { MONTH_UNSPECIFIED = 0; JANUARY = 1; FEBRUARY = 2; MARCH = 3; APRIL = 4; MAY = 5; JUNE = 6; JULY = 7;
    AUGUST = 8; SEPTEMBER = 9; OCTOBER = 10; NOVEMBER = 11; DECEMBER = 12; }`,
  'google/type/phone_number': `
    message PhoneNumber { message ShortCode { string region_code = 1; string number = 2; } oneof kind {
    string e164_number = 1; ShortCode short_code = 2; } string extension = 3; }`,
  'google/type/postal_address': `
    message PostalAddress { int32 revision = 1; string region_code = 2; string language_code = 3; string postal_code = 4;
    string sorting_code = 5; string administrative_area = 6; string locality = 7; string sublocality = 8;
    repeated string address_lines = 9; repeated string recipients = 10; string organization = 11; }`,
  'google/type/quaternion': 'message Quaternion { double x = 1; double y = 2; double z = 3; double w = 4; }',
  'google/type/timeofday':
    'message TimeOfDay { int32 hours = 1; int32 minutes = 2; int32 seconds = 3; int32 nanos = 4; }',
  'google/protobuf/any': 'message Any { string type_url = 1; bytes value = 2; }',
  'google/protobuf/api': `
    import "google/protobuf/source_context.proto"; import "google/protobuf/type.proto"; message Api { string name = 1;
    repeated Method methods = 2; repeated Option options = 3; string version = 4; SourceContext source_context = 5;
    repeated Mixin mixins = 6; Syntax syntax = 7; string edition = 8; }
    message Method { string name = 1; string request_type_url = 2; bool request_streaming = 3; string response_type_url = 4;
    bool response_streaming = 5; repeated Option options = 6; Syntax syntax = 7; string edition = 8; }
    message Mixin { string name = 1; string root = 2; }`,
  'google/protobuf/duration': 'message Duration { int64 seconds = 1; int32 nanos = 2; }',
  'google/protobuf/empty': 'message Empty {}',
  'google/protobuf/field_mask': 'message FieldMask { repeated string paths = 1; }',
  'google/protobuf/source_context': 'message SourceContext { string file_name = 1; }',
  'google/protobuf/struct': `
    message Struct { map<string, Value> fields = 1; }
    message Value { oneof kind { NullValue null_value = 1; double number_value = 2; string string_value = 3;
    bool bool_value = 4; Struct struct_value = 5; ListValue list_value = 6; } }
    enum NullValue { NULL_VALUE = 0; } message ListValue { repeated Value values = 1; }`,
  'google/protobuf/timestamp': 'message Timestamp { int64 seconds = 1; int32 nanos = 2; }',
  'google/protobuf/type': `
    import "google/protobuf/any.proto"; import "google/protobuf/source_context.proto"; message Type { string name = 1;
    repeated Field fields = 2; repeated string oneofs = 3; repeated Option options = 4; SourceContext source_context = 5;
    Syntax syntax = 6; string edition = 7; }
    message Field { enum Kind { TYPE_UNKNOWN = 0; TYPE_DOUBLE = 1; TYPE_FLOAT = 2; TYPE_INT64 = 3; TYPE_UINT64 = 4;
    TYPE_INT32 = 5; TYPE_FIXED64 = 6; TYPE_FIXED32 = 7; TYPE_BOOL = 8; TYPE_STRING = 9; TYPE_GROUP = 10; TYPE_MESSAGE = 11;
    TYPE_BYTES = 12; TYPE_UINT32 = 13; TYPE_ENUM = 14; TYPE_SFIXED32 = 15; TYPE_SFIXED64 = 16; TYPE_SINT32 = 17;
    TYPE_SINT64 = 18; } enum Cardinality { CARDINALITY_UNKNOWN = 0; CARDINALITY_OPTIONAL = 1; CARDINALITY_REQUIRED = 2;
    CARDINALITY_REPEATED = 3; } Kind kind = 1; Cardinality cardinality = 2; int32 number = 3; string name = 4;
    string type_url = 6; int32 oneof_index = 7; bool packed = 8; repeated Option options = 9; string json_name = 10;
    string default_value = 11; }
    message Enum { string name = 1; repeated EnumValue enumvalue = 2; repeated Option options = 3;
    SourceContext source_context = 4; Syntax syntax = 5; string edition = 6; }
    message EnumValue { string name = 1; int32 number = 2; repeated Option options = 3; }
    message Option { string name = 1; Any value = 2; }
    enum Syntax { SYNTAX_PROTO2 = 0; SYNTAX_PROTO3 = 1; SYNTAX_EDITIONS = 2; }`,
  'google/protobuf/wrappers': `
    message DoubleValue { double value = 1; } message FloatValue { float value = 1; } message Int64Value { int64 value = 1; }
    message UInt64Value { uint64 value = 1; } message Int32Value { int32 value = 1; }
    message UInt32Value { uint32 value = 1; } message BoolValue { bool value = 1; } message StringValue { string value = 1; }
    message BytesValue { bytes value = 1; }`,
  'confluent/type/decimal': 'message Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }',
  'confluent/type/variant': 'message Variant { bytes metadata = 1; bytes value = 2; }',
  // its former path, in some clients
  'confluent/types/decimal': 'import public "confluent/type/decimal.proto";',
}

const PROTO3: ReadonlyMap<string, string> = new Map(
  Object.entries(TEXTS).map(([name, text]) => {
    const space = name.slice(0, name.lastIndexOf('/')).replace('/', '.')
    return [`${name}.proto`, `syntax = "proto3"; package ${space}; ${text}`]
  }),
)

const DESCRIPTOR = `package google.protobuf;
  message FileDescriptorSet { repeated FileDescriptorProto file = 1; }
  enum Edition { EDITION_UNKNOWN = 0; EDITION_LEGACY = 900; EDITION_PROTO2 = 998; EDITION_PROTO3 = 999; EDITION_2023 = 1000;
    EDITION_2024 = 1001; EDITION_2026 = 1002; EDITION_UNSTABLE = 9999; EDITION_1_TEST_ONLY = 1; EDITION_2_TEST_ONLY = 2;
    EDITION_99997_TEST_ONLY = 99997; EDITION_99998_TEST_ONLY = 99998; EDITION_99999_TEST_ONLY = 99999;
    EDITION_MAX = 0x7FFFFFFF; }
  message FileDescriptorProto { optional string name = 1; optional string package = 2; repeated string dependency = 3;
    repeated int32 public_dependency = 10; repeated int32 weak_dependency = 11; repeated string option_dependency = 15;
    repeated DescriptorProto message_type = 4; repeated EnumDescriptorProto enum_type = 5; repeated ServiceDescriptorProto
    service = 6; repeated FieldDescriptorProto extension = 7; optional FileOptions options = 8; optional SourceCodeInfo
    source_code_info = 9; optional string syntax = 12; optional Edition edition = 14; }
  message DescriptorProto { optional string name = 1; repeated FieldDescriptorProto field = 2; repeated FieldDescriptorProto
    extension = 6; repeated DescriptorProto nested_type = 3; repeated EnumDescriptorProto enum_type = 4; message
    ExtensionRange { optional int32 start = 1; optional int32 end = 2; optional ExtensionRangeOptions options = 3; }
    repeated ExtensionRange extension_range = 5; repeated OneofDescriptorProto oneof_decl = 8; optional MessageOptions
    options = 7; message ReservedRange { optional int32 start = 1; optional int32 end = 2; } repeated ReservedRange
    reserved_range = 9; repeated string reserved_name = 10; optional SymbolVisibility visibility = 11; }
  message ExtensionRangeOptions { repeated UninterpretedOption uninterpreted_option = 999; message Declaration { optional
    int32 number = 1; optional string full_name = 2; optional string type = 3; optional bool reserved = 5; optional bool
    repeated = 6; } repeated Declaration declaration = 2; optional FeatureSet features = 50; enum VerificationState {
    DECLARATION = 0; UNVERIFIED = 1; } optional VerificationState verification = 3; }
  message FieldDescriptorProto { enum Type { TYPE_DOUBLE = 1; TYPE_FLOAT = 2; TYPE_INT64 = 3; TYPE_UINT64 = 4;
    TYPE_INT32 = 5; TYPE_FIXED64 = 6; TYPE_FIXED32 = 7; TYPE_BOOL = 8; TYPE_STRING = 9; TYPE_GROUP = 10; TYPE_MESSAGE = 11;
    TYPE_BYTES = 12; TYPE_UINT32 = 13; TYPE_ENUM = 14; TYPE_SFIXED32 = 15; TYPE_SFIXED64 = 16; TYPE_SINT32 = 17;
    TYPE_SINT64 = 18; } enum Label { LABEL_OPTIONAL = 1; LABEL_REPEATED = 3; LABEL_REQUIRED = 2; } optional string name = 1;
    optional int32 number = 3; optional Label label = 4; optional Type type = 5; optional string type_name = 6; optional
    string extendee = 2; optional string default_value = 7; optional int32 oneof_index = 9; optional string json_name = 10;
    optional FieldOptions options = 8; optional bool proto3_optional = 17; }
  message OneofDescriptorProto { optional string name = 1; optional OneofOptions options = 2; }
  message EnumDescriptorProto { optional string name = 1; repeated EnumValueDescriptorProto value = 2; optional EnumOptions
    options = 3; message EnumReservedRange { optional int32 start = 1; optional int32 end = 2; } repeated EnumReservedRange
    reserved_range = 4; repeated string reserved_name = 5; optional SymbolVisibility visibility = 6; }
  message EnumValueDescriptorProto { optional string name = 1; optional int32 number = 2; optional EnumValueOptions
    options = 3; }
  message ServiceDescriptorProto { optional string name = 1; repeated MethodDescriptorProto method = 2; optional
    ServiceOptions options = 3; }
  message MethodDescriptorProto { optional string name = 1; optional string input_type = 2; optional string output_type = 3;
    optional MethodOptions options = 4; optional bool client_streaming = 5; optional bool server_streaming = 6; }
  message FileOptions { optional string java_package = 1; optional string java_outer_classname = 8; optional bool
    java_multiple_files = 10; optional bool java_generate_equals_and_hash = 20; optional bool java_string_check_utf8 = 27;
    enum OptimizeMode { SPEED = 1; CODE_SIZE = 2; LITE_RUNTIME = 3; } optional OptimizeMode optimize_for = 9; optional
    string go_package = 11; optional bool cc_generic_services = 16; optional bool java_generic_services = 17; optional bool
    py_generic_services = 18; optional bool deprecated = 23; optional bool cc_enable_arenas = 31; optional string
    objc_class_prefix = 36; optional string csharp_namespace = 37; optional string swift_prefix = 39; optional string
    php_class_prefix = 40; optional string php_namespace = 41; optional string php_metadata_namespace = 44; optional string
    ruby_package = 45; optional FeatureSet features = 50; repeated UninterpretedOption uninterpreted_option = 999; }
  message MessageOptions { optional bool message_set_wire_format = 1; optional bool no_standard_descriptor_accessor = 2;
    optional bool deprecated = 3; optional bool map_entry = 7; optional bool deprecated_legacy_json_field_conflicts = 11;
    optional FeatureSet features = 12; repeated UninterpretedOption uninterpreted_option = 999; }
  message FieldOptions { optional CType ctype = 1; enum CType { STRING = 0; CORD = 1; STRING_PIECE = 2; } optional bool
    packed = 2; optional JSType jstype = 6; enum JSType { JS_NORMAL = 0; JS_STRING = 1; JS_NUMBER = 2; } optional bool
    lazy = 5; optional bool unverified_lazy = 15; optional bool deprecated = 3; optional bool weak = 10; optional bool
    debug_redact = 16; enum OptionRetention { RETENTION_UNKNOWN = 0; RETENTION_RUNTIME = 1; RETENTION_SOURCE = 2; } optional
    OptionRetention retention = 17; enum OptionTargetType { TARGET_TYPE_UNKNOWN = 0; TARGET_TYPE_FILE = 1;
    TARGET_TYPE_EXTENSION_RANGE = 2; TARGET_TYPE_MESSAGE = 3; TARGET_TYPE_FIELD = 4; TARGET_TYPE_ONEOF = 5;
    TARGET_TYPE_ENUM = 6; TARGET_TYPE_ENUM_ENTRY = 7; TARGET_TYPE_SERVICE = 8; TARGET_TYPE_METHOD = 9; } repeated
    OptionTargetType targets = 19; message EditionDefault { optional Edition edition = 3; optional string value = 2; }
    repeated EditionDefault edition_defaults = 20; optional FeatureSet features = 21; message FeatureSupport { optional
    Edition edition_introduced = 1; optional Edition edition_deprecated = 2; optional string deprecation_warning = 3;
    optional Edition edition_removed = 4; optional string removal_error = 5; } optional FeatureSupport feature_support = 22;
    repeated UninterpretedOption uninterpreted_option = 999; }
  message OneofOptions { optional FeatureSet features = 1; repeated UninterpretedOption uninterpreted_option = 999; }
  message EnumOptions { optional bool allow_alias = 2; optional bool deprecated = 3; optional bool
    deprecated_legacy_json_field_conflicts = 6; optional FeatureSet features = 7; repeated UninterpretedOption
    uninterpreted_option = 999; }
  message EnumValueOptions { optional bool deprecated = 1; optional FeatureSet features = 2; optional bool debug_redact = 3;
    optional FieldOptions.FeatureSupport feature_support = 4; repeated UninterpretedOption uninterpreted_option = 999; }
  message ServiceOptions { optional FeatureSet features = 34; optional bool deprecated = 33; repeated UninterpretedOption
    uninterpreted_option = 999; }
  message MethodOptions { optional bool deprecated = 33; enum IdempotencyLevel { IDEMPOTENCY_UNKNOWN = 0;
    NO_SIDE_EFFECTS = 1; IDEMPOTENT = 2; } optional IdempotencyLevel idempotency_level = 34; optional FeatureSet
    features = 35; repeated UninterpretedOption uninterpreted_option = 999; }
  message UninterpretedOption { message NamePart { required string name_part = 1; required bool is_extension = 2; } repeated
    NamePart name = 2; optional string identifier_value = 3; optional uint64 positive_int_value = 4; optional int64
    negative_int_value = 5; optional double double_value = 6; optional bytes string_value = 7; optional string
    aggregate_value = 8; }
  message FeatureSet { enum FieldPresence { FIELD_PRESENCE_UNKNOWN = 0; EXPLICIT = 1; IMPLICIT = 2; LEGACY_REQUIRED = 3; }
    optional FieldPresence field_presence = 1; enum EnumType { ENUM_TYPE_UNKNOWN = 0; OPEN = 1; CLOSED = 2; } optional
    EnumType enum_type = 2; enum RepeatedFieldEncoding { REPEATED_FIELD_ENCODING_UNKNOWN = 0; PACKED = 1; EXPANDED = 2; }
    optional RepeatedFieldEncoding repeated_field_encoding = 3; enum Utf8Validation { UTF8_VALIDATION_UNKNOWN = 0;
    VERIFY = 2; NONE = 3; } optional Utf8Validation utf8_validation = 4; enum MessageEncoding {
    MESSAGE_ENCODING_UNKNOWN = 0; LENGTH_PREFIXED = 1; DELIMITED = 2; } optional MessageEncoding message_encoding = 5; enum
    JsonFormat { JSON_FORMAT_UNKNOWN = 0; ALLOW = 1; LEGACY_BEST_EFFORT = 2; } optional JsonFormat json_format = 6; enum
    EnforceNamingStyle { ENFORCE_NAMING_STYLE_UNKNOWN = 0; STYLE2024 = 1; STYLE_LEGACY = 2; STYLE2026 = 3; } optional
    EnforceNamingStyle enforce_naming_style = 7; message VisibilityFeature { enum DefaultSymbolVisibility {
    DEFAULT_SYMBOL_VISIBILITY_UNKNOWN = 0; EXPORT_ALL = 1; EXPORT_TOP_LEVEL = 2; LOCAL_ALL = 3; STRICT = 4; } } optional
    VisibilityFeature.DefaultSymbolVisibility default_symbol_visibility = 8; }
  message FeatureSetDefaults { message FeatureSetEditionDefault { optional Edition edition = 3; optional FeatureSet
    overridable_features = 4; optional FeatureSet fixed_features = 5; } repeated FeatureSetEditionDefault defaults = 1;
    optional Edition minimum_edition = 4; optional Edition maximum_edition = 5; }
  message SourceCodeInfo { repeated Location location = 1; message Location { repeated int32 path = 1; repeated int32
    span = 2; optional string leading_comments = 3; optional string trailing_comments = 4; repeated string
    leading_detached_comments = 6; } }
  message GeneratedCodeInfo { repeated Annotation annotation = 1; message Annotation { repeated int32 path = 1; optional
    string source_file = 2; optional int32 begin = 3; optional int32 end = 4; enum Semantic { NONE = 0; SET = 1; ALIAS = 2;
    } optional Semantic semantic = 5; } }
  enum SymbolVisibility { VISIBILITY_UNSET = 0; VISIBILITY_LOCAL = 1; VISIBILITY_EXPORT = 2; }
`
