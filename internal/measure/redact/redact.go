// Package redact hides secrets in text to be shown or written: results of tools on pages, command lines, errors,
// reports. A secret is a value that the user passed to the server in a variable, a header, a URL or its command line
// under the name of a secret, see [Values], or text in one of a few well-known forms, see [Text]. Other secrets are not
// found. Hidden parts become [Hidden].
package redact

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// Hidden replaces secrets.
const Hidden = "(hidden)"

var (
	// secretName matches names of secrets by a word: DB_PASSWORD, SECRET_KEY_BASE and X-Api-Key, but not MONKEY.
	secretName = regexp.MustCompile(`(?i:((password|passwd|passphrase|secret|cookie|credential)s?|token|authorization|jwt|` +
		`(api|access|secret|private)[-_]?key|session[-_]?id)([-_.\d]|$)|` +
		`(^|[-_.])(key|pass|auth|bearer|signature|sig|pat|otp)$|[-_.]pwd$)|[A-Za-z](Key|Auth)$`)
	// publicName matches names of keys and tokens that are not secrets, and of facts about secrets.
	publicName = regexp.MustCompile(`(?i)(public|page|next|previous|cursor|continuation|primary|foreign|partition|sort|group|cache|idempotency|progress)[-_.]?(key|token)$|` +
		`(file|path|dir|url|uri|host|port|name|user|type|method|limit|count|length|size|ttl|expiry|expires|timeout|policy|enabled|required|format|` +
		`version|sock|socket|endpoint|server|provider|prompt|hint|field|header|description|(token|key|secret|credentials?)[-_.]?id)$`)
	// harmless matches values that are not secrets under any name: references, placeholders, settings, small numbers,
	// and file paths, whose parts are short: base64 may begin with a slash, too.
	harmless = regexp.MustCompile(`(?i)^(\$\w+|\$\{[^}]*\}|\$\([^)]*\)|%\w+%|<[\w -]+>|\{\w+\}|\{\{[^}]*\}\}|\*+|x{4,}|\.{3}|…|` +
		`true|false|yes|no|on|off|none|null|auto|default|required|optional|` +
		`\d{1,5}|(~|\.\.?|[A-Z]:)?([/\\][\w.-]{0,15})+|\Q` + Hidden + `\E)?$`)
)

// Secret reports whether a value is a secret because of its name. It returns false for values that are empty, reference
// a variable ($TOKEN), are on/off settings, or are file paths.
func Secret(name, value string) bool {
	return secretName.MatchString(name) && !publicName.MatchString(name) && !harmless.MatchString(strings.TrimSpace(value))
}

// The first and last line of a private key in the text form of RFC 7468 or OpenPGP.
const (
	keyBegin = `-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----`
	keyEnd   = `-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----`
)

// forms are the forms of secrets in text, with their replacements.
var forms = []struct {
	pattern *regexp.Regexp
	shown   string
}{
	{regexp.MustCompile(`(?s)` + keyBegin + `.*?(?:` + keyEnd + `|\z)`), Hidden},
	{regexp.MustCompile(`\beyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)*`), Hidden}, // JSON Web Token
	{regexp.MustCompile(`(://[^\s/?#"'<>:@]*:)[^\s"'<>/$][^\s"'<>/]*@`), "${1}" + Hidden + "@"},
	{regexp.MustCompile(`(://)[^\s/?#"'<>:@]{20,}@`), "${1}" + Hidden + "@"}, // a token as the user
	{regexp.MustCompile(`(?im)^(\s*(?:(?:proxy-)?authorization|(?:set-)?cookie|x-api-key)\s*:[ \t]*)[^\r\n]+`), "${1}" + Hidden},
	{regexp.MustCompile(`(?i)\b((?:Bearer|Basic)\s+)[\w+/.~-]{16,}=*`), "${1}" + Hidden},
	{regexp.MustCompile(`\b(?:gh[pousr]_|github_pat_|glpat-|xox[a-z]-|[sr]k_live_|AIza|npm_|pypi-|hf_)[\w-]{16,}|\bsk-(?:[a-z0-9]+-)*[A-Za-z0-9]{16,}`), Hidden},
	{regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`), Hidden},
}

// named matches a value with its name: a variable, a parameter of a URL or a connection string, a flag.
var named = regexp.MustCompile(`([?&]?)(\b[A-Za-z][\w.-]*)(\s?=\s?)("[^"]*"|'[^']*'|[^\s&#;,"'<>\\]*[^\s&#;,"'<>\\.:])`)

// Text returns text with secrets hidden by their form or their name. JSON stays valid JSON.
func Text(text string) string {
	if isContainer(text) {
		return string(JSON([]byte(text), Text))
	}
	for _, form := range forms {
		text = form.pattern.ReplaceAllString(text, form.shown)
	}
	return named.ReplaceAllStringFunc(text, func(match string) string {
		m := named.FindStringSubmatch(match)
		if m[1] == "" && strings.EqualFold(m[2], "key") || !Secret(m[2], m[4]) || strings.Contains(m[4], Hidden) {
			return match
		}
		return m[1] + m[2] + m[3] + Hidden
	})
}

// isContainer reports whether text is a JSON object or array.
func isContainer(text string) bool {
	trimmed := strings.TrimSpace(text)
	return trimmed != "" && strings.IndexByte("{[", trimmed[0]) >= 0 && json.Valid([]byte(text))
}

// literal matches a string of JSON, with the colon if it is the name of a member, or the equals sign in TOML.
var literal = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"(\s*[:=])?`)

// JSON applies text to the strings of JSON, and hides values whose member or flag has the name of a secret. The name
// key alone is not one: in data it usually names a member. Everything else is unchanged, including member names. Other
// input, such as a diff of two files, is processed in the same way.
func JSON(raw []byte, text func(string) string) []byte {
	return eachString(raw, func(name, value string) string {
		if name != "key" && Secret(name, value) && !strings.HasPrefix(value, "-") {
			return Hidden
		}
		if name, value, ok := strings.Cut(value, "="); ok && !strings.ContainsAny(name, " \t\n?&#:/") && Secret(name, value) {
			return name + "=" + Hidden
		}
		return text(value)
	})
}

// eachString applies change to each string of JSON. The name passed to change is the member's, or the flag before
// it in a command line.
func eachString(raw []byte, change func(name, value string) string) []byte {
	name := ""
	return literal.ReplaceAllFunc(raw, func(match []byte) []byte {
		var value string
		quoted := bytes.TrimRight(match, ":= \t\r\n")
		if json.Unmarshal(quoted, &value) != nil {
			return match
		}
		if len(quoted) < len(match) {
			name = value
			return match
		}
		changed := change(name, value)
		if name = ""; strings.HasPrefix(value, "-") {
			name = value
		}
		if changed == value {
			return match
		}
		return jsondoc.AppendString(nil, changed)
	})
}

// Command returns a command line as text without secrets.
func Command(args []string) string {
	shown := make([]string, len(args))
	for i, arg := range args {
		shown[i] = string(jsondoc.AppendString(nil, arg))
	}
	var words []string
	_ = json.Unmarshal(JSON([]byte("["+strings.Join(shown, ",")+"]"), Text), &words) // JSON stays valid
	return strings.Join(words, " ")
}

var beginning = regexp.MustCompile(`^[\w.-]*`)

// Name returns the displayable part of text that should have been NAME=VALUE but is not: the leading part that could be
// a name, and an ellipsis.
func Name(text string) string {
	name := beginning.FindString(text)
	if name == text && Text(name) == name {
		return name
	}
	if Text(name) != name {
		name = ""
	}
	return name + "…"
}
