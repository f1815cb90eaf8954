import ts from 'typescript'

/** A file of the tree: its path from the repository's folder, with forward slashes, and its text. */
export interface Source {
  readonly path: string
  readonly text: string
}

/** The violations, as `path:line: what`. */
export type Violation = string

export interface Import {
  readonly specifier: string
  readonly node: ts.Node
  readonly file: ts.SourceFile
}

/** Every import of a file: static, dynamic, of types, re-exports, and `new URL('./x', import.meta.url)`. */
export function importsOf(source: Source): Import[] {
  const found: Import[] = []
  const file = parse(source)
  walk(file, (node) => {
    const specifier = specifierOf(node)
    if (specifier && ts.isStringLiteralLike(specifier)) found.push({ specifier: specifier.text, node, file })
  })
  return found
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  if (ts.isImportTypeNode(node))
    return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return node.arguments[0]
  if (ts.isNewExpression(node) && node.expression.getText() === 'URL')
    return node.arguments?.[1]?.getText() === 'import.meta.url' ? node.arguments[0] : undefined
  return undefined
}

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
    const what = judge(node)
    if (what !== undefined) violations.push(at(file, node, what))
  })
  return violations
}

export function lines({ path, text }: Source, pattern: RegExp, what: string): Violation[] {
  return text
    .split('\n')
    .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${what}`] : []))
}

export function at(file: ts.SourceFile, node: ts.Node, what: string): Violation {
  return `${file.fileName}:${lineOf(file, node.getStart(file))}: ${what}`
}

export function lineOf(file: ts.SourceFile, position: number): number {
  return file.getLineAndCharacterOfPosition(position).line + 1
}
