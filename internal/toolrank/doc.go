// Package toolrank finds tools by what they are for. It ranks definitions of tools for a query in words, as clients do that
// offer their model only the tools that match its request:
//
//	x := toolrank.New(tools)
//	for _, m := range x.Search("remove a collaborator", 5, nil) {
//		fmt.Println(tools[m.Index].Name, m.Score, m.Words)
//	}
//
// The score is BM25 over fields: a word counts more the fewer tools have it, and more in a name than in the description of an
// argument, see [Field]. Names are split at separators and at changes of case. Words match in any form (stems), as a synonym
// among verbs such as delete and remove, and, if no tool has them, as words with one or two other letters or the same
// beginning. Text in other scripts is indexed by letters, in pairs where words are not separated.
//
// The tool whose name is the query comes first, then tools that match all words that count, then others. Words that no tool
// has, such as names of people, and words that most tools have do not count. Each [Match] lists the words of the query with
// the words of the tool that they match.
//
// Tools that a caller may not see influence neither the results nor their scores, nor the correction of misspelt words.
//
// Searches use neither a model nor the network. The tests measure how often the right tool is among the first, with the catalogs
// and queries in testdata. A tool that is not found lacks the words that people use for it: add them to its description.
package toolrank
