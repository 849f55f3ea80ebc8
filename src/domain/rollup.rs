//! A typed roll-up: which requirement of the parent which child answered for, and with what result (chapter 3).
