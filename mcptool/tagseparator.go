package mcptool

import (
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/suggest"
)

// textKeys are the keys whose value is a text, which may contain spaces and semicolons.
var textKeys = []string{"title", "description", "askFirst"}

// tagKeyNames lists the keys of the mcp tag, for suggestions.
func tagKeyNames() []string {
	names := make([]string, len(tagKeys))
	for i, key := range tagKeys {
		names[i] = key.name
	}
	return names
}

// keyOf returns the key of a tag item, which may be unknown.
func keyOf(item string) string {
	name, _, _ := strings.Cut(item, "=")
	return strings.TrimSpace(name)
}

// isTagKey reports whether a tag item has a known key.
func isTagKey(item string) bool { return slices.Contains(tagKeyNames(), keyOf(item)) }

// separateKeys returns the correction for a tag item that has several keys with spaces or semicolons between them; ""
// if it does not.
func separateKeys(item string) string {
	key := keyOf(item)
	if slices.Contains(textKeys, key) {
		return ""
	}
	parts := strings.FieldsFunc(item, func(r rune) bool { return r == ' ' || r == ';' })
	if len(parts) < 2 {
		return ""
	}
	for i, part := range parts {
		// After scopes=, a word that is also the name of a key may be a scope.
		isScope := i > 0 && key == "scopes" && !strings.Contains(item, ";") && !strings.Contains(part, "=")
		if !isTagKey(part) || isScope {
			return ""
		}
	}
	return "separate the keys with a comma: " + strings.Join(parts, ",")
}

// unknownKeyFix returns the fix for a tag item with an unknown key: the nearest key, the complete value if the item is
// the rest of one that was cut at a comma, or all keys.
func unknownKeyFix(items []string, at int) string {
	name := keyOf(items[at])
	if near := suggest.Nearest(name, tagKeyNames()); near != "" {
		return "write " + near
	}
	first, end := at, at+1
	for first > 0 && !isTagKey(items[first]) {
		first--
	}
	for end < len(items) && !isTagKey(items[end]) {
		end++
	}
	switch key := keyOf(items[first]); {
	case key == "scopes" && !strings.Contains(items[at], "="):
		var scopes []string
		for _, item := range items[first:end] {
			scopes = append(scopes, strings.TrimSpace(item))
		}
		return "write the scopes with blanks between them: " + strings.Join(scopes, " ")
	case key == "rateLimit" && name == "burst":
		return "write " + strings.TrimSpace(items[first]) + " " + strings.TrimSpace(items[at])
	case slices.Contains(textKeys, key):
		return `a comma in a text is \\,: ` + strings.TrimSpace(strings.Join(items[first:end], `\\,`))
	}
	return "the keys are " + strings.Join(tagKeyNames(), " ")
}
