package runtime

// ping answers ping.
func (r *request) ping(dst []byte) ([]byte, *wireError) {
	return r.session.appendResultTail(append(dst, '{'), r.version, nil), nil
}
