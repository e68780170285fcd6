package skills

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// quoted are the styles of scalars that are always text.
const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// Plain scalars that are not text in the core schema of YAML 1.2 (section 10.3.2).
var (
	isNull     = regexp.MustCompile(`^(null|Null|NULL|~|)$`)
	isBool     = regexp.MustCompile(`^(true|True|TRUE|false|False|FALSE)$`)
	isDecimal  = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	isOtherInt = regexp.MustCompile(`^(0o[0-7]+|0x[0-9a-fA-F]+)$`)
	isNotANum  = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
	isZeroLed  = regexp.MustCompile(`^[-+]?0[0-9]`)
)

// Plain scalars that YAML 1.1 (https://yaml.org/type/) interprets differently from YAML 1.2.
var (
	isOtherBool   = regexp.MustCompile(`^(y|Y|yes|Yes|YES|n|N|no|No|NO|on|On|ON|off|Off|OFF)$`)
	isOtherNumber = regexp.MustCompile(`^[-+]?(0b[01_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?|[0-9][0-9_]*_[0-9_]*(\.[0-9_]*)?|[0-9]+\.[0-9_]*_[0-9_]*)$`)
	isOtherFloat  = regexp.MustCompile(`^[-+]?([0-9]+\.?[eE][-+]?[0-9]+|([0-9]+\.[0-9]+|\.[0-9]+)[eE][0-9]+)$`)
	isDate        = regexp.MustCompile(`^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t].*)?$`)
)

// checkText notes a text that some YAML parsers do not read as text, or that has invisible characters.
func (c *converter) checkText(n *yaml.Node, text string) {
	isPlain := n.Style&quoted == 0
	switch {
	case isPlain && isOtherBool.MatchString(text):
		c.refuse(n, text+" is a boolean to some readers and a string to others", "write true or false, or quote it")
	case isPlain && isOtherNumber.MatchString(text):
		c.refuse(n, text+" is a number to some readers and a string to others", "write a decimal number, or quote it")
	case isPlain && isDate.MatchString(text):
		c.refuse(n, text+" is a date to some readers and a string to others", "quote it")
	case !bytes.Equal(rawjson.AppendText(nil, text), rawjson.AppendString(nil, text)):
		c.refuse(n, fmt.Sprintf("the text %+q has invisible characters", cut(text)), "remove them")
	}
}

// cut returns the beginning of a text, for a message.
func cut(text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// textOf returns the text of a scalar, and reports whether YAML reads it as text.
func textOf(n *yaml.Node) (string, bool) {
	if n.Kind != yaml.ScalarNode {
		return "", false
	}
	if n.Style&quoted != 0 {
		return n.Value, true
	}
	for _, other := range []*regexp.Regexp{isNull, isBool, isDecimal, isOtherInt, isNotANum} {
		if other.MatchString(n.Value) {
			return "", false
		}
	}
	return n.Value, true
}

// appendScalar appends a scalar as JSON.
func (c *converter) appendScalar(dst []byte, n *yaml.Node) []byte {
	text, isText := textOf(n)
	switch {
	case isText:
		c.checkText(n, text)
		return rawjson.AppendString(dst, text)
	case isNull.MatchString(n.Value):
	case isBool.MatchString(n.Value):
		return append(dst, strings.ToLower(n.Value)...)
	case isOtherInt.MatchString(n.Value):
		c.refuse(n, n.Value+" is a number to some readers and a string to others", "write a decimal number, or quote it")
	case isNotANum.MatchString(n.Value):
		c.refuse(n, n.Value+" is a number that JSON does not have", "quote it")
	case isZeroLed.MatchString(n.Value):
		c.refuse(n, n.Value+" begins with 0, so some readers parse it as an octal number", "leave the 0 out, or quote it")
	case isOtherFloat.MatchString(n.Value):
		c.refuse(n, n.Value+" is a number to some readers and a string to others", "write it without an exponent, or quote it")
	default:
		return c.appendNumber(dst, n)
	}
	return append(dst, "null"...)
}

// appendNumber appends a decimal number as JSON, with the same digits.
func (c *converter) appendNumber(dst []byte, n *yaml.Node) []byte {
	if f, err := strconv.ParseFloat(n.Value, 64); err != nil || math.IsInf(f, 0) {
		c.refuse(n, n.Value+" is too large a number for most readers", "quote it")
		return append(dst, '0')
	}
	text := strings.TrimPrefix(n.Value, "+")
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		dst, text = append(dst, '-'), rest
	}
	whole, exponent := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		whole, exponent = text[:i], text[i:]
	}
	if strings.HasPrefix(whole, ".") {
		whole = "0" + whole
	}
	return append(append(dst, strings.TrimSuffix(whole, ".")...), exponent...)
}
