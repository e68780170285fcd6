// Package suggest finds the word that was probably meant: the keyword for a misspelt keyword of a tag, the property for a
// misspelt argument, the tool for a misspelt name. The time is bounded, so the word may be from a client.
package suggest
