package authority

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Bounds of regular expressions, in instructions of their compiled programs: time and memory of compiling grow with
// them, and so does matching, for each byte of the text. Patterns that people write have a few hundred.
const (
	maxPatternProgram  = 10_000 // of one pattern, or of a text with format regex
	MaxPatternPrograms = 50_000 // of all patterns of a schema together

	maxPatternBytes = 16 << 10 // of the text: parsing takes 2 µs for each
)

// MaxPlanMatch bounds the matching in one pass of a plan, in instructions times bytes: about a second. It is half of what
// the authority may spend, which begins anew when a plan gives up. A pattern of ten instructions fits a text as large as
// a message may be.
const MaxPlanMatch = maxWork * matchWork / 2

// QuickMatch is how much may be matched without a turn of the caller, in the same unit: some 0.1 ms.
const QuickMatch = 16_000

// longText is the length in bytes from which a string that exceeds its maxLength is not held against its pattern and
// format as well.
const longText = 4096

// A Pattern is a regular expression whose cost is known. It implements [jsonschema.Regexp].
type Pattern struct {
	*regexp.Regexp
	Program int // instructions
}

// CompilePattern compiles a regular expression within the bounds.
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

// checkPattern returns the instructions that a regular expression compiles to, or what is wrong with it. It does not
// compile it: nine bytes can be a thousand instructions.
func checkPattern(text string) (program int, err error) {
	if len(text) > maxPatternBytes {
		return 0, fmt.Errorf("has %d bytes, more than %d", len(text), maxPatternBytes)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, err
	}
	program = programSize(tree)
	if program > maxPatternProgram {
		return 0, fmt.Errorf("compiles to %d instructions, more than %d: shorten its repetitions", program, maxPatternProgram)
	}
	return program, nil
}

// patternEngine is compilePattern in the form that the library takes.
func patternEngine(text string) (jsonschema.Regexp, error) {
	p, err := CompilePattern(text)
	if err != nil {
		return nil, err // not p: a nil pointer is no nil interface
	}
	return p, nil
}

// Work returns what matching a text of so many bytes costs at most, in instructions times bytes.
func (p *Pattern) Work(length int) int { return matchCost(p.Program, length) }

// matchCost is [Pattern.Work] of a pattern with so many instructions. An empty text is matched with each of them, and the
// memory for it is cleared before.
func matchCost(program, length int) int { return program * (length + 2) }

// programSize returns how many instructions an expression compiles to, approximately, and not much more than
// maxPatternProgram when there are more.
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
