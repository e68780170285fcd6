// Package jsondoc models JSON and JSON Schema for all packages that read schemas. It has a tree of values ([Value]),
// locations in it ([Path], JSON pointers), sets of JSON types ([Types]), and the vocabulary of JSON Schema: the meaning
// of each keyword and the schemas inside its value ([Keyword], [Value.EachSchema]).
package jsondoc
