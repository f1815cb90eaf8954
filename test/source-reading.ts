import ts from 'typescript'

/** A file of the tree: its text, and its path relative to the repository with forward slashes. */
export interface Source {
  readonly path: string
  readonly text: string
}

/** A violation in the form `path:line: message`. */
export type Violation = string

const parsed = new WeakMap<Source, ts.SourceFile>()

export function parse(source: Source): ts.SourceFile {
  const known = parsed.get(source)
  if (known) return known
  const file = ts.createSourceFile(source.path, source.text, ts.ScriptTarget.ESNext, true)
  parsed.set(source, file)
  return file
}

export function walk(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node)
  ts.forEachChild(node, (child) => walk(child, look))
}

export function visit(source: Source, judge: (node: ts.Node) => string | undefined): Violation[] {
  const violations: Violation[] = []
  const file = parse(source)
  walk(file, (node) => {
    const message = judge(node)
    if (message !== undefined) violations.push(at(file, node, message))
  })
  return violations
}

export function at(file: ts.SourceFile, node: ts.Node, message: string): Violation {
  return `${file.fileName}:${lineOf(file, node.getStart(file))}: ${message}`
}

export function lineOf(file: ts.SourceFile, position: number): number {
  return file.getLineAndCharacterOfPosition(position).line + 1
}
