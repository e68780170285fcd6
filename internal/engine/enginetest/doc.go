// Package enginetest tests implementations of [engine.Writer], [engine.Conn] and [engine.Source]: [TestWriter], [TestConn] and
// [TestSource] check the rules that the interfaces document. It also has connections for other tests.
package enginetest
