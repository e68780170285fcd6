package redact

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Hidden stands in the place of a secret.
const Hidden = "(hidden)"

var (
	// secretWords are words of names whose values are secrets.
	secretWords = words(`PASSWORD PASSWORDS PASSWD PASSPHRASE PASSCODE PASS SECRET SECRETS TOKEN KEY CREDENTIAL CREDENTIALS COOKIE COOKIES
		AUTHORIZATION BEARER JWT APIKEY ACCESSKEY SECRETKEY PRIVATEKEY SIGNATURE SIG PAT OTP`)
	// secretEndings are endings of words that are written together, as in PGPASSWORD.
	secretEndings = words(`PASSWORD PASSWD PASSPHRASE SECRET TOKEN APIKEY ACCESSKEY SECRETKEY PRIVATEKEY`)
	// aboutWords say, as the last word of a name, that the value is something about a secret, or where it is.
	aboutWords = words(`FILE FILENAME PATH DIR DIRECTORY FOLDER STORE SOCK SOCKET HOST HOSTNAME PORT URL URI ENDPOINT SERVER NAME USER USERNAME TYPE
		KIND MODE METHOD PROVIDER ALGORITHM ALG FORMAT LENGTH SIZE COUNT LIMIT BUDGET TTL EXPIRY EXPIRES EXPIRATION TIMEOUT AGE POLICY
		REQUIRED ENABLED DISABLED PROMPT HINT HELPER HELP LABEL DESCRIPTION TITLE VERSION INDEX FIELD COLUMN HEADER LAYOUT`)
	// harmlessWords say, anywhere in a name, that a key or token is no secret.
	harmlessWords = words(`PUBLIC PUB PAGE NEXT PREVIOUS CURSOR CONTINUATION PRIMARY FOREIGN PARTITION SORT GROUP CACHE IDEMPOTENCY PROGRESS KNOWN`)
)

func words(list string) []string { return strings.Fields(list) }

// Secret reports whether a value is a secret because of the name that it has. Values that are empty, refer to a
// variable ($TOKEN), switch something on or off, or are a path of a file are none.
func Secret(name, value string) bool { return nameIsSecret(name, true) && valueMayBeSecret(value) }

// nameIsSecret judges a name. Without keys, the word key alone is not enough: in data it mostly names a member.
func nameIsSecret(name string, keys bool) bool {
	parts := split(name)
	if len(parts) == 0 || slices.ContainsFunc(parts, func(w string) bool { return slices.Contains(harmlessWords, w) }) {
		return false
	}
	last := parts[len(parts)-1]
	switch {
	case slices.Contains(aboutWords, last):
		return false
	case last == "ID" && slices.Contains(parts, "SESSION"), last == "AUTH":
		return true
	case last == "ID":
		return false
	case last == "PWD" && len(parts) > 1: // MYSQL_PWD; PWD and OLDPWD are directories
		return true
	}
	for _, part := range parts {
		switch {
		case part == "KEY" && len(parts) == 1 && !keys:
		case slices.Contains(secretWords, part):
			return true
		case slices.ContainsFunc(secretEndings, func(end string) bool { return strings.HasSuffix(part, end) }):
			return true
		}
	}
	return false
}

var (
	reference = regexp.MustCompile(`^(\$\w+|\$\{[^}]*\}|\$\([^)]*\)|%\w+%|<[\w -]+>|\{\{[^}]*\}\}|\{\w+\}|\*+|x{4,}|\.{3}|…)$`)
	flagWord  = regexp.MustCompile(`(?i)^(true|false|yes|no|on|off|none|null|nil|auto|default|enabled|disabled|required|optional|\d{1,5})$`)
)

// valueMayBeSecret rules out values that are plainly none.
func valueMayBeSecret(value string) bool {
	value = strings.TrimSpace(value)
	return value != "" && value != Hidden && !reference.MatchString(value) && !flagWord.MatchString(value) && !isPath(value)
}

var oneWord = regexp.MustCompile(`^[A-Za-z0-9]+$`)

var pathStart = regexp.MustCompile(`^(/|~/|\.\.?/|[A-Za-z]:[\\/])`)

// isPath reports whether a value is the path of a file. What is written in base64 may begin with / too.
func isPath(value string) bool {
	if !pathStart.MatchString(value) || strings.ContainsAny(value, "+=") {
		return false
	}
	segments := strings.FieldsFunc(value, func(r rune) bool { return r == '/' || r == '\\' })
	return !slices.ContainsFunc(segments, func(s string) bool {
		return len(s) >= 16 && hasDigit(s) && oneWord.MatchString(s) && strings.ContainsFunc(s, unicode.IsUpper) && strings.ContainsFunc(s, unicode.IsLower)
	})
}

var beginning = regexp.MustCompile(`^[\w.-]*`)

// Name returns what may be shown of a text that was meant to be a name with a value, and is not: its beginning, as far as
// it may be a name, and an ellipsis.
func Name(text string) string {
	name := beginning.FindString(text)
	if looksRandom(name) || Text(name) != name {
		name = ""
	}
	if name != text {
		name += "…"
	}
	return name
}

// split returns the words of a name in upper case: at everything that is no letter or digit, and at humps.
func split(name string) []string {
	var parts []string
	var part []rune
	end := func() {
		if len(part) > 0 {
			parts = append(parts, strings.ToUpper(string(part)))
		}
		part = nil
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case i > 0 && unicode.IsUpper(r) && unicode.IsLower(runes[i-1]),
			i > 0 && i+1 < len(runes) && unicode.IsUpper(r) && unicode.IsUpper(runes[i-1]) && unicode.IsLower(runes[i+1]):
			end()
		}
		part = append(part, r)
	}
	end()
	return parts
}
