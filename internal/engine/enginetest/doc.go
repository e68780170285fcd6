// Package enginetest tests implementations of [engine.Writer] and [engine.Conn]: [TestWriter] and [TestConn] check the rules
// that the interfaces document. It also has connections for other tests.
package enginetest
