// Package suggest finds the word somebody probably meant: the keyword behind a
// misspelt tag, the property behind a misspelt argument, the tool behind a
// misspelt name. Answers depend on nothing but the words given, and the work
// for one word is bounded, so the word may come from a client.
package suggest
