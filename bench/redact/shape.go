package redact

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A shape is a form of secrets in text. hide returns the match without the secret, or unchanged; m are the submatches.
// Only texts that contain one of the marks, in any case, are searched: results may have megabytes.
type shape struct {
	marks   []string
	pattern *regexp.Regexp
	hide    func(m []string) string
}

func all([]string) string { return Hidden }

// afterFirst keeps the first submatch and hides the rest.
func afterFirst(m []string) string { return m[1] + Hidden }

// First and last line of a private key in the text form of RFC 7468 or OpenPGP, as regular expressions.
const (
	keyBegin = `-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----`
	keyEnd   = `-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----`
)

// shapes are applied in this order.
var shapes = []shape{
	{[]string{"private key"}, regexp.MustCompile(`(?s)` + keyBegin + `.*?(?:` + keyEnd + `|\z)`), all},
	{[]string{"private key"}, regexp.MustCompile(`(?m)(?:^[ \t]*[A-Za-z0-9+/=]+[ \t]*\r?\n)+[ \t]*` + keyEnd), all}, // the beginning was cut off
	{[]string{"eyj"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*)*`), all},    // JSON Web Token
	{[]string{"://"}, regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)([^\s/?#"'<>:@]*)(?::([^\s"'<>]*))?@([\w.:\[-]?)`), hideUserinfo},
	{[]string{"@tcp(", "@udp(", "@unix("}, regexp.MustCompile(`([\w.-]+:)([^\s@:/"']+)(@(?:tcp|udp|unix)\()`), func(m []string) string { return m[1] + Hidden + m[3] }}, // MySQL data source name
	{[]string{"hooks.slack.com/", "/api/webhooks/"}, regexp.MustCompile(`((?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks)/)[\w/-]+`), afterFirst},
	{words(`k_live_ k_test_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- xox xapp- akia asia aiza ya29. gocspx- npm_ pypi- hf_ _v1_ sg. shpat_ shpca_ shppa_ shpss_ age-secret whsec_ lin_api_ atatt3`), regexp.MustCompile(`\b(?:` +
		`[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}` +
		`|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,}|hf_[A-Za-z0-9]{20,}|do[opr]_v1_[a-f0-9]{40,}` +
		`|SG\.[\w-]{16,}\.[\w-]{16,}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|AGE-SECRET-KEY-1[0-9A-Z]{50,}|whsec_[A-Za-z0-9+/=]{20,}|lin_api_[A-Za-z0-9]{30,}|ATATT3[\w=-]{30,})`), all},
	{[]string{"sk-"}, regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{16,}`), func(m []string) string { return hideIf(hasDigit(m[0]), m[0], Hidden) }},
	{[]string{"bearer", "basic", "token"}, regexp.MustCompile(`(?i)\b((?:Bearer|Basic|Token)\s+)([A-Za-z0-9+/_.~:-]{8,}=*)`), func(m []string) string {
		return hideIf(hasDigit(m[2]) || len(m[2]) >= 20 || strings.HasSuffix(m[2], "="), m[0], m[1]+Hidden) // not Basic information
	}},
	{[]string{"authorization", "cookie", "x-api-key", "x-auth-token"}, regexp.MustCompile(`(?im)^(\s*(?:(?:proxy-)?authorization|(?:set-)?cookie|x-api-key|x-auth-token)\s*:[ \t]*)([^\r\n]+)`), func(m []string) string {
		return hideIf(!strings.Contains(m[2], Hidden), m[0], m[1]+Hidden)
	}},
	{[]string{"="}, regexp.MustCompile(`(?m)^(\s*(?:export\s+)?)([A-Z][A-Z0-9_]*)(=)([^\r\n]+)`), func(m []string) string { // a list of variables
		return hideIf(Secret(m[2], m[4]) && !strings.Contains(m[4], Hidden), m[0], m[1]+m[2]+m[3]+Hidden)
	}},
	{[]string{"="}, regexp.MustCompile(`([?&#])([\w.%-]+)(=)([^\s&#"'<>\\;]+)`), func(m []string) string { // URL parameters
		value, tail := punctuated(m[4])
		return hideIf(Secret(m[2], value), m[0], m[1]+m[2]+m[3]+Hidden+tail)
	}},
	{[]string{"="}, regexp.MustCompile(`(^|[\s;,{(\["'-])([A-Za-z][\w.-]*)(\s*=\s*)("[^"]*"|'[^']*'|[^\s;,"'&]+)`), func(m []string) string { // connection strings
		value, tail := punctuated(m[4])
		return hideIf(nameIsSecret(m[2], false) && valueMayBeSecret(strings.Trim(value, `"'`)), m[0], m[1]+m[2]+m[3]+Hidden+tail)
	}},
	{[]string{"--"}, regexp.MustCompile(`(^|\s)(--?[A-Za-z][\w-]*)(\s+)([^\s-]\S*)`), func(m []string) string { // a command line
		return hideIf(strings.HasPrefix(m[2], "--") && Secret(m[2], m[4]) && isValue(m[4]), m[0], m[1]+m[2]+m[3]+Hidden)
	}},
}

// punctuated splits trailing sentence punctuation from a value.
func punctuated(text string) (value, tail string) {
	value = strings.TrimRight(text, ".,:")
	return value, text[len(value):]
}

func hideIf(secret bool, as, hidden string) string {
	if secret {
		return hidden
	}
	return as
}

// isValue reports whether a word after a flag is a value, and not the next word of a sentence about the flag.
func isValue(word string) bool { return hasDigit(word) || strings.ContainsFunc(word, unicode.IsUpper) }

func hasDigit(text string) bool { return strings.ContainsFunc(text, unicode.IsDigit) }

var portAndPath = regexp.MustCompile(`^\d{1,5}[/?#]`)

// hideUserinfo hides the password of a URL, or without one, a user name that is a token.
func hideUserinfo(m []string) string {
	scheme, user, password, host := m[1], m[2], m[3], m[4]
	switch {
	case portAndPath.MatchString(password): // http://host:80/@scope: no password
	case password != "" && password != Hidden && !reference.MatchString(password):
		return scheme + user + ":" + Hidden + "@" + host
	case password == "" && looksRandom(user):
		return scheme + Hidden + "@" + host
	}
	return m[0]
}

// Text returns text with secrets hidden by their form. JSON stays valid JSON.
func Text(text string) string {
	if looksLikeJSON(text) {
		return string(JSON([]byte(text), Text))
	}
	lower := strings.ToLower(text)
	for _, s := range shapes {
		if !slices.ContainsFunc(s.marks, func(mark string) bool { return strings.Contains(lower, mark) }) {
			continue
		}
		text = s.pattern.ReplaceAllStringFunc(text, func(match string) string { return s.hide(s.pattern.FindStringSubmatch(match)) })
	}
	return text
}

func looksLikeJSON(text string) bool {
	trimmed := strings.TrimSpace(text)
	return trimmed != "" && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid([]byte(text))
}

// leastRandom is the minimum length of text considered random, in bytes.
const leastRandom = 20

// leastEntropy is the minimum entropy of random text, in bits per character, by its character frequencies.
const leastEntropy = 3.5

var oneToken = regexp.MustCompile(`^[A-Za-z0-9+/_=.~-]+$`)

var (
	uuid = regexp.MustCompile(`^(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	hex  = regexp.MustCompile(`^(?i)[0-9a-f]+$`)
)

// looksRandom reports whether text looks like a generated token: long, with letters in both cases and digits, or with
// many hexadecimal digits.
func looksRandom(text string) bool {
	if len(text) < leastRandom || !oneToken.MatchString(text) || uuid.MatchString(text) || !hasDigit(text) || !strings.ContainsFunc(text, unicode.IsLetter) {
		return false
	}
	if hex.MatchString(text) {
		return len(text) >= 32 && entropy(text) >= 3
	}
	if !strings.ContainsFunc(text, unicode.IsUpper) || !strings.ContainsFunc(text, unicode.IsLower) {
		return false
	}
	return entropy(text) >= leastEntropy && !strings.ContainsAny(text, ".") && longestRun(text) >= leastRandom
}

// longestRun returns the length of the longest part between characters that separate words in paths and names.
func longestRun(text string) int {
	longest := 0
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == '/' || r == '-' || r == '_' }) {
		longest = max(longest, len(part))
	}
	return longest
}

// entropy returns the entropy of text in bits per character, by its character frequencies.
func entropy(text string) float64 {
	counts := map[byte]float64{}
	for i := range len(text) {
		counts[text[i]]++
	}
	bits := 0.0
	for _, n := range counts {
		p := n / float64(len(text))
		bits -= p * math.Log2(p)
	}
	return bits
}
