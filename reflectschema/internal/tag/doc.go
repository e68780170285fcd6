// Package tag reads the struct tags of package reflectschema: json:"…", jsonschema:"…", doc:"…" and their relatives.
//
// It works in two steps, because most keywords depend on the type of the field. [Split] and [Parse] read the text of the
// tags alone. Once the types of all fields are known, [Tags.Settle] checks the keywords against the [codec.Node] of the
// field and parses their values as values of its type. The results are [Setting] values, which [Apply] writes into a
// schema, and [Mistake] values, each with a reason and a fix. Package reflectschema adds the locations of the mistakes.
//
// # Reading order
//
//   - keyword.go: the table of the keywords, and the types that each of them applies to
//   - mistake.go, split.go: the pairs of a struct tag, and the options of encoding/json
//   - tag.go, prose.go: the keywords and the description of one field, and misspelt ones
//   - setting.go, value.go: keywords of a known type, and their values
//   - registered.go: types with a registered schema
//   - apply.go: settings in a schema
//
// # Invariants
//
//   - A tag is never ignored: each pair of this package, and each keyword in it, becomes a setting, the description or a
//     mistake.
//   - The value of a setting is valid JSON of the kind that the keyword needs. Whether a value fits the finished schema
//     is checked by package reflectschema.
//   - A keyword is one row of the table. No other file lists keywords, except where it compares two of them.
package tag
