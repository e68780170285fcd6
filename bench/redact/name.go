package redact

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Hidden replaces secrets.
const Hidden = "(hidden)"

var (
	// secretWords are words in names of secrets.
	secretWords = words(`PASSWORD PASSWORDS PASSWD PASSPHRASE PASSCODE PASS SECRET SECRETS TOKEN KEY CREDENTIAL CREDENTIALS COOKIE COOKIES
		AUTHORIZATION BEARER JWT APIKEY ACCESSKEY SECRETKEY PRIVATEKEY SIGNATURE SIG PAT OTP`)
	// secretEndings are endings of compound words, as in PGPASSWORD.
	secretEndings = words(`PASSWORD PASSWD PASSPHRASE SECRET TOKEN APIKEY ACCESSKEY SECRETKEY PRIVATEKEY`)
	// aboutWords are last words of names for properties or locations of secrets.
	aboutWords = words(`FILE FILENAME PATH DIR DIRECTORY FOLDER STORE SOCK SOCKET HOST HOSTNAME PORT URL URI ENDPOINT SERVER NAME USER USERNAME TYPE
		KIND MODE METHOD PROVIDER ALGORITHM ALG FORMAT LENGTH SIZE COUNT LIMIT BUDGET TTL EXPIRY EXPIRES EXPIRATION TIMEOUT AGE POLICY
		REQUIRED ENABLED DISABLED PROMPT HINT HELPER HELP LABEL DESCRIPTION TITLE VERSION INDEX FIELD COLUMN HEADER LAYOUT`)
	// harmlessWords are words in names of keys and tokens that are not secret.
	harmlessWords = words(`PUBLIC PUB PAGE NEXT PREVIOUS CURSOR CONTINUATION PRIMARY FOREIGN PARTITION SORT GROUP CACHE IDEMPOTENCY PROGRESS KNOWN`)
)

func words(list string) []string { return strings.Fields(list) }

// Secret reports whether a value is a secret because of its name. It returns false for values that are empty, reference
// a variable ($TOKEN), are on/off settings, or are file paths.
func Secret(name, value string) bool { return nameIsSecret(name, true) && valueMayBeSecret(value) }

// nameIsSecret judges a name. If keys is false, the word key alone is not enough: in data it usually names a member.
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

// valueMayBeSecret excludes values that are obviously not secret.
func valueMayBeSecret(value string) bool {
	value = strings.TrimSpace(value)
	return value != "" && value != Hidden && !reference.MatchString(value) && !flagWord.MatchString(value) && !isPath(value)
}

var oneWord = regexp.MustCompile(`^[A-Za-z0-9]+$`)

var pathStart = regexp.MustCompile(`^(/|~/|\.\.?/|[A-Za-z]:[\\/])`)

// isPath reports whether a value is a file path. Base64 may start with / as well.
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

// Name returns the displayable part of text that should have been NAME=VALUE but is not: the leading part that could be
// a name, and an ellipsis.
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

// split splits a name into upper-case words, at characters other than letters and digits, and at camel-case boundaries.
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
