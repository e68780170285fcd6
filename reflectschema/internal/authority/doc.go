// Package authority validates JSON values against JSON Schemas (draft 2020-12 and draft-07), with limits on time and
// memory. Only this package reports values as invalid; the plans of package codec only report values as valid.
//
// [Parse] reads strict JSON (RFC 7493), with limits on depth and on the size of numbers, into maps, slices, strings and
// [encoding/json.Number]. [Compile] compiles a document with github.com/santhosh-tekuri/jsonschema, which resolves
// references, checks the document against the schema of its dialect, and provides formats. The result is an [Authority].
// No other documents are loaded.
//
// [Authority.Check] applies the compiled schema to a value. It does not use the Validate method of the library, which tries
// all alternatives inside all alternatives and keeps every error, so that a small value can take seconds and gigabytes. An
// evaluator walks the schema and the value together instead:
//
//   - budget.go has the limits of work for one value, with its conversions by [Authority.Tolerate].
//   - evaluator.go has the order of the keywords, and further limits. Each schema that is applied to a value is a unit of work;
//     keywords that take longer, such as pattern, count more. A check that would be too much work ends with an error.
//   - scalars.go, objects.go, arrays.go, alternatives.go and unevaluated.go implement the keywords.
//   - failure.go collects failures. The first pass stops at the first failure. If there is one, the second pass
//     collects up to a limit of [Failure] values, from which package reflectschema makes messages.
//
// How the arguments of a call are refused: mcptool decodes them with DecodeArguments of package reflectschema
// (codec.go). The plan of package codec cannot read them (decodeFast), no lenient form fits (Tolerate of this package),
// and decodeSlow calls Check. report.go of package reflectschema makes violations of the failures,
// violation_text.go their text.
//
// A schema that several others refer to can be applied to one value in many ways. Its outcome is cached for each array
// and object: in the first pass after some work, in the second pass always.
//
// In tests the library is the oracle: it must find the same values invalid, and the same failure if there is only one.
package authority
