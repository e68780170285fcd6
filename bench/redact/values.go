package redact

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Values holds secrets passed to a server. The zero value is empty. It is safe for concurrent use.
type Values struct {
	mu    sync.RWMutex
	long  []string // replaced everywhere, longest first
	short []string // replaced only as whole words, longest first
}

// Minimum lengths of secrets, in bytes: leastLong for a match inside other words, leastShort for any match. Shorter
// values occur in too many places.
const (
	leastLong  = 8
	leastShort = 5
)

// Environment adds the secrets in variables, NAME=VALUE, by their names and by the form of the values.
func (v *Values) Environment(variables []string) {
	for _, pair := range variables {
		if name, value, ok := strings.Cut(pair, "="); ok {
			v.pair(name, value)
		}
	}
}

// Headers adds the secrets in headers, NAME: VALUE.
func (v *Values) Headers(headers []string) {
	for _, pair := range headers {
		if name, value, ok := strings.Cut(pair, ":"); ok {
			v.pair(name, strings.TrimSpace(value))
		}
	}
}

// Command adds the secrets in a command line: values of flags, variables, and text in the form of a secret.
func (v *Values) Command(args []string) {
	for a := range commandLine(args) {
		switch {
		case a.inline:
			v.pair(a.name, a.value)
		case a.isSecret():
			v.add(a.value)
		default:
			v.shaped(a.text)
		}
	}
}

// URL adds the secrets in a URL: its password, and parameters with secret names.
func (v *Values) URL(address string) { v.shaped(address) }

var flagName = regexp.MustCompile(`^-{0,2}[A-Za-z_][\w.-]*$`)

// notRandom are words in names of values that are long and random, but not secret.
var notRandom = words(`SHA SHA1 SHA256 COMMIT REVISION DIGEST HASH CHECKSUM ID UUID GUID FINGERPRINT PATH VERSION PUBLIC NAME ADDRESS ETAG`)

func (v *Values) pair(name, value string) {
	if givenSecret(name, value) {
		v.add(value)
	}
	if Secret(name, value) {
		for _, word := range strings.Fields(value) { // also without the word Bearer
			v.add(word)
		}
	}
	v.shaped(value)
}

// shaped adds the parts of a value that Text would hide.
func (v *Values) shaped(value string) {
	for _, s := range shapes {
		for _, m := range s.pattern.FindAllStringSubmatch(value, -1) {
			hidden := s.hide(m)
			before, after, ok := strings.Cut(hidden, Hidden)
			if ok && !strings.Contains(m[0], Hidden) && len(before)+len(after) <= len(m[0]) {
				secret := strings.Trim(m[0][len(before):len(m[0])-len(after)], `"'`)
				v.add(secret)
				if plain, err := url.PathUnescape(secret); err == nil {
					v.add(plain)
				}
			}
		}
	}
}

func (v *Values) add(secret string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch letters := strings.ContainsFunc(secret, unicode.IsLetter); {
	case secret == Hidden:
	case len(secret) >= leastLong:
		for _, form := range []string{secret, url.QueryEscape(secret), strings.ReplaceAll(url.QueryEscape(secret), "+", "%20"), url.PathEscape(secret)} {
			if !slices.Contains(v.long, form) {
				v.long = append(v.long, form)
			}
		}
		longestFirst(v.long)
	case len(secret) >= leastShort && letters && hasDigit(secret) && !slices.Contains(v.short, secret):
		v.short = append(v.short, secret)
		longestFirst(v.short)
	}
}

// longestFirst sorts secrets so that one contained in another comes after it.
func longestFirst(secrets []string) {
	slices.SortStableFunc(secrets, func(a, b string) int { return len(b) - len(a) })
}

// Known hides only the added secrets in text, without matching forms.
func (v *Values) Known(text string) string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	for _, secret := range v.long {
		text = strings.ReplaceAll(text, secret, Hidden)
	}
	for _, secret := range v.short {
		text = hideWord(text, secret)
	}
	return text
}

// hideWord replaces a word not adjacent to an ASCII letter, digit or underscore. It does not consume the neighbors, so
// that one character may separate two occurrences.
func hideWord(text, word string) string {
	var b strings.Builder
	copied := 0 // bytes of text copied to b
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			break
		}
		start, end := from+i, from+i+len(word)
		if start > 0 && isWordByte(text[start-1]) || end < len(text) && isWordByte(text[end]) {
			from = start + 1
			continue
		}
		b.WriteString(text[copied:start])
		b.WriteString(Hidden)
		copied, from = end, end
	}
	if copied == 0 {
		return text
	}
	b.WriteString(text[copied:])
	return b.String()
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// Text hides the added secrets in text, and text in the form of a secret.
func (v *Values) Text(text string) string {
	if looksLikeJSON(text) {
		return string(v.JSON([]byte(text)))
	}
	return Text(v.Known(text))
}

// JSON applies Text to the strings of JSON, which stays valid, and hides members with secret names.
func (v *Values) JSON(raw []byte) []byte { return JSON(raw, v.Text) }

// KnownJSON applies Known to the strings of JSON, which stays valid.
func (v *Values) KnownJSON(raw []byte) []byte {
	return eachText(raw, func(_, value string) string { return v.Known(value) })
}
