// Files of google and confluent that ship with every serialiser, so that no registry stores them. Without comments and options.
// descriptor.proto comes from protobuf-text.ts.

const googleTypes: Readonly<Record<string, string>> = {
  calendar_period: `
    enum CalendarPeriod { CALENDAR_PERIOD_UNSPECIFIED = 0; DAY = 1; WEEK = 2; FORTNIGHT = 3; MONTH = 4; QUARTER = 5;
      HALF = 6; YEAR = 7; }
  `,
  color: `
    import "google/protobuf/wrappers.proto";
    message Color { float red = 1; float green = 2; float blue = 3; google.protobuf.FloatValue alpha = 4; }
  `,
  date: `
    message Date { int32 year = 1; int32 month = 2; int32 day = 3; }
  `,
  datetime: `
    import "google/protobuf/duration.proto";
    message DateTime { int32 year = 1; int32 month = 2; int32 day = 3; int32 hours = 4; int32 minutes = 5;
      int32 seconds = 6; int32 nanos = 7; oneof time_offset { google.protobuf.Duration utc_offset = 8;
      TimeZone time_zone = 9; } }
    message TimeZone { string id = 1; string version = 2; }
  `,
  dayofweek: `
    enum DayOfWeek { DAY_OF_WEEK_UNSPECIFIED = 0; MONDAY = 1; TUESDAY = 2; WEDNESDAY = 3; THURSDAY = 4; FRIDAY = 5;
      SATURDAY = 6; SUNDAY = 7; }
  `,
  decimal: `
    message Decimal { string value = 1; }
  `,
  expr: `
    message Expr { string expression = 1; string title = 2; string description = 3; string location = 4; }
  `,
  fraction: `
    message Fraction { int64 numerator = 1; int64 denominator = 2; }
  `,
  interval: `
    import "google/protobuf/timestamp.proto";
    message Interval { google.protobuf.Timestamp start_time = 1; google.protobuf.Timestamp end_time = 2; }
  `,
  latlng: `
    message LatLng { double latitude = 1; double longitude = 2; }
  `,
  localized_text: `
    message LocalizedText { string text = 1; string language_code = 2; }
  `,
  money: `
    message Money { string currency_code = 1; int64 units = 2; int32 nanos = 3; }
  `,
  month: `
    enum Month { MONTH_UNSPECIFIED = 0; JANUARY = 1; FEBRUARY = 2; MARCH = 3; APRIL = 4; MAY = 5; JUNE = 6;
      JULY = 7; AUGUST = 8; SEPTEMBER = 9; OCTOBER = 10; NOVEMBER = 11; DECEMBER = 12; }
  `,
  phone_number: `
    message PhoneNumber { message ShortCode { string region_code = 1; string number = 2; } oneof kind {
      string e164_number = 1; ShortCode short_code = 2; } string extension = 3; }
  `,
  postal_address: `
    message PostalAddress { int32 revision = 1; string region_code = 2; string language_code = 3;
      string postal_code = 4; string sorting_code = 5; string administrative_area = 6; string locality = 7;
      string sublocality = 8; repeated string address_lines = 9; repeated string recipients = 10;
      string organization = 11; }
  `,
  quaternion: `
    message Quaternion { double x = 1; double y = 2; double z = 3; double w = 4; }
  `,
  timeofday: `
    message TimeOfDay { int32 hours = 1; int32 minutes = 2; int32 seconds = 3; int32 nanos = 4; }
  `,
}

/** The text of a file by its path. */
export function knownFile(path: string): string | undefined {
  return FILES.get(path)
}

const WELL_KNOWN: Readonly<Record<string, string>> = {
  any: `
    message Any { string type_url = 1; bytes value = 2; }
  `,
  api: `
    import "google/protobuf/source_context.proto";
    import "google/protobuf/type.proto";
    message Api { string name = 1; repeated Method methods = 2; repeated Option options = 3; string version = 4;
      SourceContext source_context = 5; repeated Mixin mixins = 6; Syntax syntax = 7; string edition = 8; }
    message Method { string name = 1; string request_type_url = 2; bool request_streaming = 3;
      string response_type_url = 4; bool response_streaming = 5; repeated Option options = 6; Syntax syntax = 7;
      string edition = 8; }
    message Mixin { string name = 1; string root = 2; }
  `,
  duration: `
    message Duration { int64 seconds = 1; int32 nanos = 2; }
  `,
  empty: `
    message Empty { }
  `,
  field_mask: `
    message FieldMask { repeated string paths = 1; }
  `,
  source_context: `
    message SourceContext { string file_name = 1; }
  `,
  struct: `
    message Struct { map<string, Value> fields = 1; }
    message Value { oneof kind { NullValue null_value = 1; double number_value = 2; string string_value = 3;
      bool bool_value = 4; Struct struct_value = 5; ListValue list_value = 6; } }
    enum NullValue { NULL_VALUE = 0; }
    message ListValue { repeated Value values = 1; }
  `,
  timestamp: `
    message Timestamp { int64 seconds = 1; int32 nanos = 2; }
  `,
  type: `
    import "google/protobuf/any.proto";
    import "google/protobuf/source_context.proto";
    message Type { string name = 1; repeated Field fields = 2; repeated string oneofs = 3;
      repeated Option options = 4; SourceContext source_context = 5; Syntax syntax = 6; string edition = 7; }
    message Field { enum Kind { TYPE_UNKNOWN = 0; TYPE_DOUBLE = 1; TYPE_FLOAT = 2; TYPE_INT64 = 3; TYPE_UINT64 = 4;
      TYPE_INT32 = 5; TYPE_FIXED64 = 6; TYPE_FIXED32 = 7; TYPE_BOOL = 8; TYPE_STRING = 9; TYPE_GROUP = 10;
      TYPE_MESSAGE = 11; TYPE_BYTES = 12; TYPE_UINT32 = 13; TYPE_ENUM = 14; TYPE_SFIXED32 = 15; TYPE_SFIXED64 = 16;
      TYPE_SINT32 = 17; TYPE_SINT64 = 18; } enum Cardinality { CARDINALITY_UNKNOWN = 0; CARDINALITY_OPTIONAL = 1;
      CARDINALITY_REQUIRED = 2; CARDINALITY_REPEATED = 3; } Kind kind = 1; Cardinality cardinality = 2;
      int32 number = 3; string name = 4; string type_url = 6; int32 oneof_index = 7; bool packed = 8;
      repeated Option options = 9; string json_name = 10; string default_value = 11; }
    message Enum { string name = 1; repeated EnumValue enumvalue = 2; repeated Option options = 3;
      SourceContext source_context = 4; Syntax syntax = 5; string edition = 6; }
    message EnumValue { string name = 1; int32 number = 2; repeated Option options = 3; }
    message Option { string name = 1; Any value = 2; }
    enum Syntax { SYNTAX_PROTO2 = 0; SYNTAX_PROTO3 = 1; SYNTAX_EDITIONS = 2; }
  `,
  wrappers: `
    message DoubleValue { double value = 1; }
    message FloatValue { float value = 1; }
    message Int64Value { int64 value = 1; }
    message UInt64Value { uint64 value = 1; }
    message Int32Value { int32 value = 1; }
    message UInt32Value { uint32 value = 1; }
    message BoolValue { bool value = 1; }
    message StringValue { string value = 1; }
    message BytesValue { bytes value = 1; }
  `,
}

const DECIMAL = `
  message Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }
`

const VARIANT = `
  message Variant { bytes metadata = 1; bytes value = 2; }
`

/** Named in options only. */
const META = `
  import "google/protobuf/descriptor.proto";
  message Meta { string doc = 1; map<string, string> params = 2; repeated string tags = 3; repeated Rule rules = 4; }
  message Rule { string name = 1; string doc = 2; string expr = 3; string sql = 4; }
  extend google.protobuf.FileOptions { Meta file_meta = 1088; }
  extend google.protobuf.MessageOptions { Meta message_meta = 1088; }
  extend google.protobuf.FieldOptions { Meta field_meta = 1088; }
  extend google.protobuf.EnumOptions { Meta enum_meta = 1088; }
  extend google.protobuf.EnumValueOptions { Meta enum_value_meta = 1088; }
`

/** Of languages, named in the options of editions: serialisers take them for known, as all of google/protobuf. */
const FEATURES: Readonly<Record<string, string>> = {
  cpp: `
    message CppFeatures { optional bool legacy_closed_enum = 1; enum StringType { STRING_TYPE_UNKNOWN = 0; VIEW = 1;
      CORD = 2; STRING = 3; } optional StringType string_type = 2; optional bool enum_name_uses_string_view = 3;
      enum RepeatedType { REPEATED_TYPE_UNKNOWN = 0; LEGACY = 1; PROXY = 2; } optional RepeatedType repeated_type = 4; }
    extend google.protobuf.FeatureSet { optional CppFeatures cpp = 1000; }
  `,
  go: `
    message GoFeatures { optional bool legacy_unmarshal_json_enum = 1; enum APILevel { API_LEVEL_UNSPECIFIED = 0;
      API_OPEN = 1; API_HYBRID = 2; API_OPAQUE = 3; } optional APILevel api_level = 2; enum StripEnumPrefix {
      STRIP_ENUM_PREFIX_UNSPECIFIED = 0; STRIP_ENUM_PREFIX_KEEP = 1; STRIP_ENUM_PREFIX_GENERATE_BOTH = 2;
      STRIP_ENUM_PREFIX_STRIP = 3; } optional StripEnumPrefix strip_enum_prefix = 3; message OptimizeModeFeature {
      enum OptimizeMode { OPTIMIZE_MODE_UNSPECIFIED = 0; SPEED = 1; CODE_SIZE = 2; } }
      optional OptimizeModeFeature.OptimizeMode optimize_mode = 4; }
    extend google.protobuf.FeatureSet { optional GoFeatures go = 1002; }
  `,
  java: `
    message JavaFeatures { optional bool legacy_closed_enum = 1; enum Utf8Validation { UTF8_VALIDATION_UNKNOWN = 0;
      DEFAULT = 1; VERIFY = 2; } optional Utf8Validation utf8_validation = 2; optional bool large_enum = 3;
      optional bool use_old_outer_classname_default = 4; message NestInFileClassFeature { enum NestInFileClass {
      NEST_IN_FILE_CLASS_UNKNOWN = 0; NO = 1; YES = 2; LEGACY = 3; } }
      optional NestInFileClassFeature.NestInFileClass nest_in_file_class = 5; }
    extend google.protobuf.FeatureSet { optional JavaFeatures java = 1001; }
  `,
}

const FILES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(WELL_KNOWN).map(([name, text]) => file(`google/protobuf/${name}`, 'google.protobuf', text)),
  ...Object.entries(googleTypes).map(([name, text]) => file(`google/type/${name}`, 'google.type', text)),
  ...Object.entries(FEATURES).map(([name, text]) =>
    file(`google/protobuf/${name}_features`, 'pb', `import "google/protobuf/descriptor.proto"; ${text}`),
  ),
  file('confluent/meta', 'confluent', META),
  file('confluent/type/decimal', 'confluent.type', DECIMAL),
  // its former path, in some clients
  file('confluent/types/decimal', 'confluent.type', 'import public "confluent/type/decimal.proto";'),
  file('confluent/type/variant', 'confluent.type', VARIANT),
])

function file(name: string, space: string, text: string): [path: string, text: string] {
  return [`${name}.proto`, `syntax = "proto3"; package ${space}; ${text}`]
}
