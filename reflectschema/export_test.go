package reflectschema

// SuiteDir is where the tests of both test packages find the official suite.
var SuiteDir = sharedDir
