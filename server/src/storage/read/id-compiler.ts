import {
  type BinaryOperationNode,
  ColumnNode,
  type OperationNode,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  ReferenceNode,
  ValueListNode,
  ValueNode,
} from 'kysely'
import { uuidOf } from '../engine/ids.ts'
import { isIdColumn } from '../schema/id-columns.ts'

/** Compiles kysely's statements. Values compared with an id column become uuids. */
export class IdCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { leftOperand, rightOperand } = node
    super.visitBinaryOperation(
      isOfIds(leftOperand) ? { ...node, rightOperand: withUuids(rightOperand) } : node,
    )
  }
}

function isOfIds(node: OperationNode): boolean {
  return ReferenceNode.is(node) && ColumnNode.is(node.column) && isIdColumn(node.column.column.name)
}

/** Converts ids to uuids. Nodes that are not values, such as another column, stay. */
function withUuids(node: OperationNode): OperationNode {
  if (ValueNode.is(node)) {
    const uuid: ValueNode = { ...node, value: uuidIfText(node.value) }
    return uuid
  }
  if (PrimitiveValueListNode.is(node)) return PrimitiveValueListNode.create(node.values.map(uuidIfText))
  if (ValueListNode.is(node)) return ValueListNode.create(node.values.map(withUuids))
  return node
}

function uuidIfText(value: unknown): unknown {
  return typeof value === 'string' ? uuidOf(value) : value
}
