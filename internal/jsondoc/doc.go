// Package jsondoc is the model of a JSON document that everything shares that reads JSON Schema: a tree of values
// ([Value]), the location of a part of it ([Path], JSON pointers), and which keywords of JSON Schema hold schemas
// ([Applicator], [Value.EachSchema]).
package jsondoc
