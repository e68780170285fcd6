package toolrank

import "strings"

// stem reduces an English word in lower case to the part that its inflected and derived forms share: deployments,
// deployed and deploying become deploy. It is the algorithm of Porter (1980), changed for words in the names of tools: notify
// and notification, create and creation, deploy and deployment, assign and assignee have one stem each. The result need not
// be a word. Words with other characters than a to z are returned unchanged.
func stem(word string) string {
	if len(word) < 3 {
		return word
	}
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	if base, ok := irregular[word]; ok {
		word = base
	}
	w := plural(word)
	w = participle(w)
	if root, ok := strings.CutSuffix(w, "y"); ok && hasVowel(root) && !isVowel(w, len(root)-1) {
		w = root + "i"
	}
	for _, step := range [...][]suffix{doubleSuffixes, simpleSuffixes} {
		w = replaceSuffix(w, step, 1)
	}
	w = lastSuffix(w)
	return final(w)
}

// irregular has the verbs of irregular past forms, as in "what was sent" and "who wrote". Forms that are also words of their
// own, such as left, found, lay and saw, are missing.
var irregular = func() map[string]string {
	verbs := map[string]string{}
	for _, forms := range [...]string{
		"begin began begun", "break broke broken", "bring brought", "build built", "buy bought", "catch caught", "choose chose chosen",
		"draw drew drawn", "drive drove driven", "fall fell fallen", "forget forgot forgotten", "freeze froze frozen", "give gave given",
		"go went gone", "grow grew grown", "hide hid hidden", "hold held", "keep kept", "know knew known", "lend lent", "lose lost",
		"make made", "meet met", "pay paid", "ride rode ridden", "ring rang rung", "run ran", "sell sold", "send sent",
		"shake shook shaken", "speak spoke spoken", "spend spent", "steal stole stolen", "take took taken", "teach taught",
		"think thought", "throw threw thrown", "understand understood", "wake woke woken", "win won", "write wrote written",
	} {
		verb, past, _ := strings.Cut(forms, " ")
		for form := range strings.FieldsSeq(past) {
			verbs[form] = verb
		}
	}
	return verbs
}()

// suffix is an ending and its replacement.
type suffix struct{ end, by string }

// The tables of steps 2 and 3. An ending comes before those that it ends with.
var (
	doubleSuffixes = []suffix{
		{"ational", "ate"},
		{"tional", "tion"},
		{"enci", "ence"},
		{"anci", "ance"},
		{"izer", "ize"},
		{"iser", "ize"},
		{"isation", "ize"},
		{"abli", "able"},
		{"alli", "al"},
		{"entli", "ent"},
		{"eli", "e"},
		{"ousli", "ous"},
		{"ization", "ize"},
		{"ation", "ate"},
		{"ator", "ate"},
		{"alism", "al"},
		{"iveness", "ive"},
		{"fulness", "ful"},
		{"ousness", "ous"},
		{"aliti", "al"},
		{"iviti", "ive"},
		{"biliti", "ble"},
	}
	simpleSuffixes = []suffix{{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""}}
	// lastSuffixes are removed by step 4.
	lastSuffixes = []string{
		"al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ou", "ism", "ate", "iti", "ous", "ive", "ize", "ise", "ee",
	}
)

// plural removes the ending of plurals.
func plural(w string) string {
	switch {
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-2]
	case strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "us"), strings.HasSuffix(w, "is"), len(w) < 4 || w[len(w)-1] != 's':
		return w
	default:
		return w[:len(w)-1]
	}
}

// participle removes -ed and -ing.
func participle(w string) string {
	if root, ok := strings.CutSuffix(w, "eed"); ok {
		if measure(root) > 0 {
			return root + "ee"
		}
		return w
	}
	root, ok := strings.CutSuffix(w, "ed")
	if !ok {
		root, ok = strings.CutSuffix(w, "ing")
	}
	if !ok || !hasVowel(root) {
		return w
	}
	switch {
	case strings.HasSuffix(root, "at"), strings.HasSuffix(root, "bl"), strings.HasSuffix(root, "iz"):
		return root + "e"
	case len(single(root)) < len(root):
		return single(root)
	case measure(root) == 1 && isShort(root):
		return root + "e"
	default:
		return root
	}
}

// single removes one of two equal consonants at the end, except l, s and z, which verbs such as call have themselves.
func single(root string) string {
	n := len(root)
	if n > 1 && root[n-1] == root[n-2] && !isVowel(root, n-1) && !strings.ContainsRune("lsz", rune(root[n-1])) {
		return root[:n-1]
	}
	return root
}

// replaceSuffix replaces the first ending of the table that w has, if what precedes it has at least the given measure.
func replaceSuffix(w string, table []suffix, least int) string {
	for _, s := range table {
		if root, ok := strings.CutSuffix(w, s.end); ok {
			if measure(root) >= least {
				return root + s.by
			}
			return w
		}
	}
	return w
}

// lastSuffix removes a derivational ending, with a letter that it doubled as in referral, after a root of measure 2 or more,
// and -ion after one of measure 1.
func lastSuffix(w string) string {
	longest := ""
	for _, end := range lastSuffixes {
		if len(end) > len(longest) && strings.HasSuffix(w, end) {
			longest = end
		}
	}
	if longest == "" {
		if root, ok := strings.CutSuffix(w, "ion"); ok && measure(root) > 0 && (root[len(root)-1] == 's' || root[len(root)-1] == 't') {
			return root
		}
		return w
	}
	if root := w[:len(w)-len(longest)]; measure(root) > 1 {
		return single(root)
	}
	return w
}

// final removes a last -e, one of two l, and the -i that is left of verbs such as notify, whose nouns lose it.
func final(w string) string {
	if root, ok := strings.CutSuffix(w, "e"); ok {
		if m := measure(root); m > 1 || m == 1 && !isShort(root) {
			w = root
		}
	}
	if strings.HasSuffix(w, "ll") && measure(w) > 1 {
		w = w[:len(w)-1]
	}
	if root, ok := strings.CutSuffix(w, "i"); ok && len(root) > 3 {
		w = root
	}
	return w
}

// measure counts the sequences of a vowel and a consonant in w.
func measure(w string) (n int) {
	wasVowel := false
	for i := range len(w) {
		v := isVowel(w, i)
		if wasVowel && !v {
			n++
		}
		wasVowel = v
	}
	return n
}

func hasVowel(w string) bool {
	for i := range len(w) {
		if isVowel(w, i) {
			return true
		}
	}
	return false
}

// isVowel reports whether the letter at i is a vowel; a y after a consonant is one.
func isVowel(w string, i int) bool {
	switch w[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return true
	case 'y':
		return i > 0 && !isVowel(w, i-1)
	default:
		return false
	}
}

// isShort reports whether w ends with a consonant, a vowel, and a consonant other than w, x and y.
func isShort(w string) bool {
	n := len(w)
	return n >= 3 && !isVowel(w, n-1) && isVowel(w, n-2) && !isVowel(w, n-3) && w[n-1] != 'w' && w[n-1] != 'x' && w[n-1] != 'y'
}
