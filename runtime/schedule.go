package runtime

// schedule has the call run: now, in the turn of the goroutine that has read it, if it is expected to be quick, and
// otherwise in another one, at once or when others have ended. The in-flight limit comes first: what it refuses does not
// wait.
func (r *request) schedule(c *call) *wireError {
	if err := r.session.inFlight.enter(c, r.memory); err != nil {
		return r.session.inFlight.refusal(c, err)
	}
	err := r.begin(c)
	if err != nil {
		r.session.inFlight.leave(c)
	}
	return err
}

// begin chooses who runs the call, and through what it answers.
func (r *request) begin(c *call) *wireError {
	run := c.extras().taskRun()
	if run != nil {
		run.tie()
	}
	if e := r.session.endpoint; e != nil {
		c.answerThrough(r.to)
		e.run(c)
		return nil
	}
	if turn, ok := r.to.(*reader); ok && run == nil && c.pace.isQuick() {
		return turn.serve(c)
	}
	c.answerThrough(r.later())
	err := r.session.admit(c) // queue.go
	if err != nil && run != nil {
		run.untie()
	}
	return err
}
