import { type Operation, operations } from "../operations.ts";
import { matchRoutes } from "./address.ts";

export interface Match {
  readonly operation: Operation;
  readonly params: { readonly [name: string]: string };
}

export const matchPath = (pathname: string): Match[] | null =>
  matchRoutes(pathname)?.map(({ name, params }) => ({ operation: operations[name], params })) ?? null;
