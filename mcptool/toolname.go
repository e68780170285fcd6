package mcptool

import (
	"fmt"
	"reflect"
	goruntime "runtime"
	"strings"
	"unicode"

	"github.com/mcptool-go/mcptool/internal/comment"
)

// maxToolName is the longest legal name. Revision 2025-11-25 allows 128, but
// clients that follow SEP-986 refuse more than 64.
const maxToolName = 64

// toolNameProblem returns what is wrong with a tool name and the fix; "" if nothing.
func toolNameProblem(name string) (reason, fix string) {
	bad := strings.IndexFunc(name, func(r rune) bool {
		return r >= unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.", r)
	})
	switch {
	case name == "":
		return "the name is empty", "a name is 1 to 64 of A-Z a-z 0-9 _ - ."
	case bad >= 0:
		r := []rune(name[bad:])[0]
		return fmt.Sprintf("the name %s contains %q", brief(name), r), "a name is 1 to 64 of A-Z a-z 0-9 _ - ."
	case len(name) > maxToolName:
		return fmt.Sprintf("the name is %d characters long", len(name)), fmt.Sprintf("clients take up to %d", maxToolName)
	}
	return "", ""
}

// funcName returns the name of a func in its source: GetWeather for a func, a method value, or an instance of a generic
// func of that name; "" for a func literal. It also returns the doc comment if it is registered.
func funcName(fn reflect.Value) (name, text string) {
	if fn.IsNil() {
		return "", ""
	}
	symbol := goruntime.FuncForPC(fn.Pointer()).Name()
	return bareFuncName(symbol), comment.OfFunc(symbol)
}

// bareFuncName extracts the name of a func from its symbol as the linker writes it:
//
//	example.com/a.GetWeather            a func
//	example.com/a.(*Service).Forecast-fm  a method value
//	example.com/a.Sum[...]              an instance of a generic func
//	example.com/a.main.func1            a func literal
func bareFuncName(symbol string) string {
	symbol = symbol[strings.LastIndexByte(symbol, '/')+1:]
	pkg, name, _ := strings.Cut(symbol, ".")
	if pkg == "reflect" {
		return "" // made by reflect.MakeFunc, which gives all its funcs the same name
	}
	name = strings.ReplaceAll(name, "[...]", "")
	if method, ok := strings.CutSuffix(name, "-fm"); ok {
		return method[strings.LastIndexByte(method, '.')+1:]
	}
	if strings.Contains(name, ".") {
		return ""
	}
	return name
}

// toSnake converts a Go name to the usual form of tool names: GetWeather to get_weather, HTTPGet to http_get, ListURLs
// to list_urls, GetV2 to get_v2.
func toSnake(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if i > 0 && startsWord(runes, i) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// startsWord reports whether the rune at i > 0 begins a word: an upper-case letter after another kind of rune, or the
// last of several upper-case letters if a word follows. The s of a plural, as in URLs, is not a word.
func startsWord(runes []rune, i int) bool {
	before, after := runes[i-1], runes[i+1:]
	if !unicode.IsUpper(runes[i]) || before == '_' {
		return false
	}
	if !unicode.IsUpper(before) {
		return true
	}
	if len(after) == 0 || !unicode.IsLower(after[0]) {
		return false
	}
	isPlural := after[0] == 's' && (len(after) == 1 || unicode.IsUpper(after[1]))
	return !isPlural
}
