package spec

// breakCycles makes pointers of the fields that would put a struct into itself.
// Every field of such a circle becomes one: which of them is met first must not
// decide.
func (l *loader) breakCycles() {
	c := circles{index: map[*Type]int{}, low: map[*Type]int{}, circle: map[*Type]int{}}
	for _, n := range l.named {
		c.visit(n.typ)
	}
	for _, n := range l.named {
		for i, f := range n.typ.Fields {
			if byValue(f.Type) && c.circle[f.Type.Type] == c.circle[n.typ] {
				if f.Type.Form == Nullable {
					l.note(n.fields[i], "", "property %q is never sent as null, only left out: its type contains itself", f.Name.Wire)
				}
				f.Type = &Ref{Type: f.Type.Type, Form: Pointer}
			}
		}
	}
}

// byValue reports whether a struct holds another one inside of itself.
func byValue(r *Ref) bool { return r.Type.Kind == Struct && r.Form != Pointer }

// circles finds structs that hold each other by value: the strongly connected
// components of the graph, by Tarjan's algorithm.
type circles struct {
	index, low map[*Type]int
	stack      []*Type
	circle     map[*Type]int // the number of a struct's component; 0 while it is open
	count      int
}

func (c *circles) visit(t *Type) {
	if c.index[t] != 0 {
		return
	}
	c.index[t] = len(c.index) + 1
	c.low[t] = c.index[t]
	c.stack = append(c.stack, t)
	for _, f := range t.Fields {
		if !byValue(f.Type) {
			continue
		}
		c.visit(f.Type.Type)
		if c.circle[f.Type.Type] == 0 {
			c.low[t] = min(c.low[t], c.low[f.Type.Type])
		}
	}
	if c.low[t] == c.index[t] {
		c.close(t)
	}
}

// close takes a finished component from the stack.
func (c *circles) close(t *Type) {
	c.count++
	for {
		last := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		c.circle[last] = c.count
		if last == t {
			return
		}
	}
}
