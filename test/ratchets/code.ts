import ts from 'typescript'
import { lineOf, parse, type Source } from '../source-reading.ts'
import { isTest } from '../source-rules.ts'
import type { Range, TextBlock } from './texts.ts'

const FUNCTION_LINES_MAX = 60

/** The findings of one pass over a file's syntax tree. Places have the form `path:line`. */
export interface CodeCounts {
  readonly casts: string[]
  readonly nonNulls: string[]
  readonly anys: string[]
  readonly longFunctions: string[]
  /** String literals, templates and JSX text, without interpolated expressions. */
  readonly strings: TextBlock[]
  /** Literals of any kind. No comment can begin inside one. */
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
  const inspect = (node: ts.Node): void => {
    const place = () => `${source.path}:${lineOf(file, node.getStart(file))}`
    if (isCast(node)) counts.casts.push(place())
    else if (ts.isNonNullExpression(node)) counts.nonNulls.push(place())
    else if (node.kind === ts.SyntaxKind.AnyKeyword) counts.anys.push(place())
    else if (isLongFunction(file, node) && !isTest(source.path)) counts.longFunctions.push(place())
    else if (isLiteral(node)) {
      counts.literals.push([node.getStart(file), node.end])
      if (isText(node)) counts.strings.push(toTextBlock(file, node))
    }
    ts.forEachChild(node, inspect)
  }
  inspect(file)
  return counts
}

/** True for `x as T` and `<T>x`, but not for `x as const`. */
function isCast(node: ts.Node): boolean {
  if (ts.isTypeAssertionExpression(node)) return true
  return (
    ts.isAsExpression(node) &&
    !(ts.isTypeReferenceNode(node.type) && node.type.typeName.getText() === 'const')
  )
}

/** Counts from the function's first line to its last. */
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

/** False for a regular expression, and for the file name in an import. */
function isText(node: Literal): boolean {
  const { parent } = node
  const isSpecifier =
    ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || ts.isImportTypeNode(parent.parent)
  return !isSpecifier && !ts.isRegularExpressionLiteral(node)
}

function toTextBlock(file: ts.SourceFile, node: Literal): TextBlock {
  return {
    kind: 'string',
    line: lineOf(file, node.getStart(file)),
    text: node.text.replace(/\s+/g, ' ').trim(),
  }
}
