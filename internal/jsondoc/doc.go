// Package jsondoc is the model of JSON and of JSON Schema that everything shares that reads schemas: a tree of values
// ([Value]), the location of a part of it ([Path], JSON pointers), the types of values ([Types]), and the vocabulary: what
// each keyword of JSON Schema does and holds ([Keyword], [Value.EachSchema]).
package jsondoc
