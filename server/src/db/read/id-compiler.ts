import {
  type BinaryOperationNode,
  type OperationNode,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  ReferenceNode,
  SelectQueryNode,
  TableNode,
  ValueListNode,
  ValueNode,
} from 'kysely'
import { uuidOf } from '../engine/ids.ts'
import { isIdColumn } from '../schema/id-columns.ts'

/** Writes the statements of kysely. A value that a column of ids is compared with becomes the uuid of the id. */
export class IdCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { leftOperand, rightOperand } = node
    super.visitBinaryOperation(
      this.#isOfIds(leftOperand) ? { ...node, rightOperand: withUuids(rightOperand) } : node,
    )
  }

  #isOfIds(node: OperationNode): boolean {
    if (!ReferenceNode.is(node) || node.column.kind !== 'ColumnNode') return false
    return isIdColumn(node.column.column.name, nameOf(node.table) ?? this.#table())
  }

  /** The first table of the query that is being written: that of a column without a table's name. */
  #table(): string | undefined {
    return nameOf(this.nodeStack.findLast(SelectQueryNode.is)?.from?.froms[0])
  }
}

function nameOf(node: OperationNode | undefined): string | undefined {
  return node && TableNode.is(node) ? node.table.identifier.name : undefined
}

/** Values of ids as uuids. What is no value, such as another column, stays. */
function withUuids(node: OperationNode): OperationNode {
  if (ValueNode.is(node)) return { ...node, value: uuidIfText(node.value) } as ValueNode
  if (PrimitiveValueListNode.is(node)) return PrimitiveValueListNode.create(node.values.map(uuidIfText))
  if (ValueListNode.is(node)) return ValueListNode.create(node.values.map(withUuids))
  return node
}

function uuidIfText(value: unknown): unknown {
  return typeof value === 'string' ? uuidOf(value) : value
}
