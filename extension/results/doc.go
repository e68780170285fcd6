// Package results keeps large results out of the context of the model. A result beyond a budget is cut, and kept complete; the
// model reads, filters, sorts and aggregates it with a tool:
//
//	srv := &runtime.Server{Extensions: []runtime.Extension{results.New(results.Options{})}}
//
// By default results have at most 8 KiB. Of a larger one, the structured part keeps the first elements of its longest lists
// and maps, and the first lines of its longest texts, so that it still fits the output schema. Texts of content blocks are
// cut as well; images, recordings and links are not. The first text of the result lists the missing parts for the
// model, and has the arguments of read_result that return them.
//
// If a structured part cannot be made small enough without breaking the output schema, it is left out. The protocol allows
// that only for errors, so the result is then marked as one, with a text that the call has succeeded, and the handle.
// A tool whose results have this problem needs a list, a map or a longer text where most of the data is, or another [Budget].
//
// # The tool read_result
//
// Its arguments are a handle, and what to return: a part (path), members (fields), conditions (where), an order (sort), groups
// and their counts, sums, minimums, maximums and averages (group, aggregate), lines that contain a text or match a regular
// expression (search), and a page (offset, limit). Answers are JSON, and are within the budget as well. A mistake in a name
// or a value is an error with the nearest name and an example.
//
// Sums of numbers with up to 9 decimals are exact. Texts are ordered by their bytes. Rows without a value are last.
//
// # For programs
//
// A client that needs complete results has this member in the _meta of its call:
//
//	"io.github.mcptool-go/results": {"whole": true}
//
// Results are also complete for callers that cannot call read_result, for example because the operator does not select
// it ([runtime.Selection]). A result that was cut has a member with the same key in its _meta: the handle, when the result
// expires (RFC 3339), the size in bytes, the parts that were cut (path, shown, total, unit) and the shape of the largest one. The
// resource results://{handle} is the complete result, as JSON or as text.
//
// # Kept results
//
// A result belongs to the caller of the tool: a principal of a tenant. For all others its handle does not exist. Callers
// without authentication are one caller, also across sessions, because a conversation outlives them; among them, a handle
// is a secret of 130 random bits. Results are kept for [Options.TTL], within [Limits], and can be deleted with [Forget].
// A handle begins with the name of the tool, so that the error for one that has expired can name the tool to call again.
//
// A caller that may no longer call a tool cannot read its results. Texts are kept as they are sent, redacted by
// [runtime.Server.Redact], and structured results as the tool returned them.
package results
