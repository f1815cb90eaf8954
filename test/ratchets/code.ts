import ts from 'typescript'
import { lineOf, parse, type Source } from '../source-reading.ts'
import { isTest } from '../source-rules.ts'
import type { Range, TextBlock } from './texts.ts'

const FUNCTION_LINES_MAX = 60

/** The findings of one walk over the syntax of a file: places as `path:line`. */
export interface CodeCounts {
  readonly casts: string[]
  readonly nonNulls: string[]
  readonly anys: string[]
  readonly longFunctions: string[]
  /** String literals, templates and JSX text, without what an expression puts into them. */
  readonly strings: TextBlock[]
  /** Literals of any kind: a comment cannot begin in them. */
  readonly literals: Range[]
}

export function countCode(source: Source): CodeCounts {
  const counts: CodeCounts = {
    casts: [],
    nonNulls: [],
    anys: [],
    longFunctions: [],
    strings: [],
    literals: [],
  }
  const file = parse(source)
  const look = (node: ts.Node): void => {
    const place = () => `${source.path}:${lineOf(file, node.getStart(file))}`
    if (isCast(node)) counts.casts.push(place())
    else if (ts.isNonNullExpression(node)) counts.nonNulls.push(place())
    else if (node.kind === ts.SyntaxKind.AnyKeyword) counts.anys.push(place())
    else if (isLongFunction(file, node) && !isTest(source.path)) counts.longFunctions.push(place())
    else if (isLiteral(node)) {
      counts.literals.push([node.getStart(file), node.end])
      if (isText(node)) counts.strings.push(textBlockOf(file, node))
    }
    ts.forEachChild(node, look)
  }
  look(file)
  return counts
}

/** `x as T` and `<T>x`, but not `x as const`. */
function isCast(node: ts.Node): boolean {
  if (ts.isTypeAssertionExpression(node)) return true
  return (
    ts.isAsExpression(node) &&
    !(ts.isTypeReferenceNode(node.type) && node.type.typeName.getText() === 'const')
  )
}

/** Counted from its first line to its last. */
function isLongFunction(file: ts.SourceFile, node: ts.Node): boolean {
  if (!ts.isFunctionLike(node) || !('body' in node) || !node.body) return false
  return lineOf(file, node.end) - lineOf(file, node.getStart(file)) + 1 > FUNCTION_LINES_MAX
}

type Literal = ts.Node & { readonly text: string }

function isLiteral(node: ts.Node): node is Literal {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddleOrTemplateTail(node) ||
    ts.isRegularExpressionLiteral(node) ||
    ts.isJsxText(node)
  )
}

/** Not a pattern, and not the file that an import names. */
function isText(node: Literal): boolean {
  const { parent } = node
  const isSpecifier =
    ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || ts.isImportTypeNode(parent.parent)
  return !isSpecifier && !ts.isRegularExpressionLiteral(node)
}

function textBlockOf(file: ts.SourceFile, node: Literal): TextBlock {
  return {
    kind: 'string',
    line: lineOf(file, node.getStart(file)),
    text: node.text.replace(/\s+/g, ' ').trim(),
  }
}
