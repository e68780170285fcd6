// Package uritemplate reads URI templates (RFC 6570), expands them, and matches URIs of clients that may be hostile against them.
//
//	t, err := uritemplate.Parse("orders://{id}/lines{?expand}")
//	values, ok := t.Match("orders://7/lines?expand=product")
//
// # What is supported
//
// Levels 1 and 2 of the RFC, {var}, {+var} and {#var}, and form queries, {?a,b} and {&a,b}. [Parse] refuses everything else.
// The scheme is literal, a name stands for one variable, variables are separated by text, and at the end
// there may be one {?a,b} or {&a,b} and after it one {#var}.
//
// # What is matched
//
// A template matches the URIs that it makes, and the values are those it makes them of: what is matched, expanded again, is
// the same URI, and what is expanded, matched again, are the same values. The same URI means: after [Normalize], and with the pairs
// of {?a,b} in the order of the template. Values are percent-decoded once. So:
//
//   - {var}, {?a} and {&a} are unreserved characters and percent-encoded ones. Clients that leave ":" or "," as they are
//     do not match: if they did, two URIs would name one resource, and caches, subscriptions, and rules about URIs would take
//     them for two.
//   - {+var} and {#var} are reserved characters as well, but these not percent-encoded. RFC 6570 keeps what is percent-encoded in a value
//     already; here a value is text, and "%" is encoded. {+var} encodes "?", "#", "[" and "]", too, and "&" in a query, so that
//     the text of a value is never the syntax of a URI.
//   - {var} and {+var} are at least one character. A pair has a "=", also if the value is empty. "+" is no space.
//     There is no match with an unknown key, or one that is there twice, or a "?" without pairs.
//   - Scheme and literals are compared by byte, after Normalize.
//
// Which values are refused, such as "..", says type rule, in rule.go, with the reasons.
//
// Text between variables may be a part of values: {name}.{ext} matches "a.tar.gz" with the name "a". What comes first is as short
// as possible, what comes after {+var} as well, and {+var} has the rest. Expand refuses values that would be read as others.
package uritemplate
