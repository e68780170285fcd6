// Package tools holds what every server under measurement serves: the types of the
// tools, their functions, and their schemas.
//
// The data lies ready before the first call, so that the functions cost next to nothing
// and what is measured is the server around them. The constraints are in the language of
// this framework's tags; the other libraries are given the schemas that follow from
// them ([Schemas]), so that all of them promise and check the same.
package tools
