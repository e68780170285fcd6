package toolrank

// Match is a tool that a search found.
type Match struct {
	Index  int     // of the tool in the slice passed to [New]
	Score  float64 // comparable only with other matches of the same search
	IsName bool    // the query is the name of the tool, except for case and separators
	All    bool    // the tool matches every word that counts, see Word.Counts
	Words  []Word  // the words of the query, in order
}

// Word is a word of a query, and how a tool matches it.
type Word struct {
	Query   string // in lower case; a word may be replaced by two, such as oncall by on and call
	Matched string // the word of the tool in lower case; empty if there is none
	Field   Field  // where Matched counts most
	By      By
	IsStop  bool // it says nothing about a tool, such as "the"; no word of a query of such words alone is one
	Counts  bool // Match.All requires the word: at least one tool matches it, at most half of them do, and it is not a stop word
}

// By is how a word of a query matches a word of a tool.
type By uint8

// The ways to match.
const (
	ByNothing By = iota // the tool does not match the word
	ByWord              // the same word
	ByStem              // another form of the word, such as the plural
	BySynonym           // a synonym or an abbreviation
	ByNear              // a word with one or two other letters, or a longer word with the same beginning
)

// String returns a description for people, such as "stem".
func (b By) String() string {
	if names := [...]string{"nothing", "word", "stem", "synonym", "near"}; int(b) < len(names) {
		return names[b]
	}
	return "unknown"
}
