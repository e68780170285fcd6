package authority

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Limits of regular expressions, in instructions of the compiled program. Time and memory of compiling are proportional
// to them, as is the time of matching for each byte of the text. Usual patterns have a few hundred instructions.
const (
	maxPatternProgram  = 10_000 // of one pattern, or of a text with format regex
	MaxPatternPrograms = 50_000 // of all patterns of a schema together

	maxPatternBytes = 16 << 10 // length of a pattern; parsing takes 2 µs per byte
)

// MaxPlanMatch limits the matching in one pass of a plan, in instructions times bytes: about a second. It is half of
// the work that the authority may do, which starts from zero when a plan gives up. It is enough to match a pattern of
// ten instructions with a message of the maximum size.
const MaxPlanMatch = maxWork * matchWork / 2

// longText is the length in bytes above which a string that exceeds its maxLength is not checked for pattern and
// format.
const longText = 4096

// A Pattern is a regular expression with its cost. It implements [jsonschema.Regexp].
type Pattern struct {
	*regexp.Regexp
	Program int // approximate number of instructions
}

// CompilePattern compiles a regular expression. It returns an error if the expression is invalid or exceeds a limit.
func CompilePattern(text string) (*Pattern, error) {
	program, err := checkPattern(text)
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	return &Pattern{re, program}, nil
}

// checkPattern returns the approximate number of instructions of a regular expression. It returns an error if the
// expression is invalid or exceeds a limit. It does not compile the expression, because nine bytes can be a thousand
// instructions.
func checkPattern(text string) (program int, err error) {
	if len(text) > maxPatternBytes {
		return 0, fmt.Errorf("has %d bytes, more than %d", len(text), maxPatternBytes)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, err
	}
	if program = programSize(tree); program > maxPatternProgram {
		return 0, fmt.Errorf("compiles to %d instructions, more than %d: shorten its repetitions", program, maxPatternProgram)
	}
	return program, nil
}

// PatternSize returns the approximate number of instructions of a regular expression, 0 for one that cannot be compiled.
func PatternSize(text string) int {
	size, _ := checkPattern(text)
	return size
}

// patternEngine is [CompilePattern] with the signature that the library requires.
func patternEngine(text string) (jsonschema.Regexp, error) {
	p, err := CompilePattern(text)
	if err != nil {
		return nil, err // not p: a nil *Pattern is not a nil interface
	}
	return p, nil
}

// Work returns the maximum cost of matching a text of length bytes, in instructions times bytes. The 2 is for the
// position after the last byte, and for clearing memory before.
func (p *Pattern) Work(length int) int { return p.Program * (length + 2) }

// programSize returns the approximate number of instructions of an expression, limited to 1<<30.
func programSize(re *syntax.Regexp) int {
	const enough = 1 << 30
	size := 1
	switch re.Op {
	case syntax.OpLiteral:
		size = len(re.Rune)
	case syntax.OpCapture, syntax.OpStar, syntax.OpPlus, syntax.OpQuest:
		size = 2 + programSize(re.Sub[0])
	case syntax.OpRepeat:
		size = max(re.Min, re.Max, 1) * (1 + programSize(re.Sub[0]))
	case syntax.OpConcat, syntax.OpAlternate:
		for _, sub := range re.Sub {
			size = min(size+1+programSize(sub), enough)
		}
	default: // one instruction
	}
	return min(size, enough)
}
