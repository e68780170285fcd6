// Package uritemplate parses URI templates (RFC 6570), expands them, and matches URIs against them. The URIs may come from
// hostile clients.
//
//	t, err := uritemplate.Parse("orders://{id}/lines{?expand}")
//	values, ok := t.Match("orders://7/lines?expand=product")
//
// # Supported syntax
//
// The expressions {var}, {+var}, {?a,b} and {&a,b}. [Parse] rejects everything else. The scheme is a literal. Each name
// occurs once. {var} and {+var} are separated from each other by a literal, and there is at most one {+var} in the path
// and one in the query. The template may end with one {?a,b} or {&a,b}. Fragments are not supported: they are for the client.
//
// # What matches
//
// A template matches exactly the URIs that it can produce. Expanding the values of a match results in the same URI, and
// matching an expanded URI results in the same values. Here URIs are the same if they are equal after [Normalize] and
// with the pairs of {?a,b} and {&a,b} in the order of the template. Values are percent-decoded once. It follows that:
//
//   - {var}, {?a} and {&a} match unreserved characters and percent-encoded characters. A URI in which such a value has
//     ":" or "," unencoded does not match: otherwise two URIs that are not equivalent by RFC 3986 would identify one
//     resource, and caches, subscriptions and access rules would treat them as two.
//   - {+var} matches reserved characters as well, but not their percent-encoded forms. In these two points expansion
//     differs from RFC 6570: a "%" in a value is always encoded, because a value is text and not part of a URI; and {+var}
//     encodes "?", "#", "[" and "]", and in a query "&", so that a value, such as the name of a file, cannot add a query or a
//     fragment to the URI.
//   - {var} and {+var} match at least one character.
//   - A pair of a query must have "="; its value may be empty. Pairs may be in any order. A URI with an unknown key, a
//     repeated key, an empty pair, or a "?" without pairs does not match. "+" is not decoded to a space.
//   - The scheme and literals are compared byte by byte, after Normalize.
//
// Values that are dangerous in a file path or a log, such as "..", do not match, and cannot be expanded: see
// [Variable.check].
//
// # Ambiguous templates
//
// A literal between two variables may also occur in their values. {name}.{ext} matches "a.tar.gz" with the name "a".
// Without {+var}, variables are as short as possible from the left, and the last one gets the rest. With {+var}, the
// variables before it are as short as possible from the left, those after it as short as possible from the right, and
// {+var} gets the rest. Expand rejects values that would be read back differently.
//
// Other packages expand templates, but do not match them as exactly: the values of a match of
// github.com/yosida95/uritemplate do not result in the same URI again, a value may be a list, and pairs are in order.
package uritemplate
