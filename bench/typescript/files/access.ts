enum Role { Guest = "guest", Member = "member", Admin = "admin" }
enum Right { None = 0, Read = 1 << 0, Write = 1 << 1, Share = 1 << 2, All = Read | Write | Share }

namespace rights {
  const table: Record<Role, Right> = {
    [Role.Guest]: Right.Read,
    [Role.Member]: Right.Read | Right.Write,
    [Role.Admin]: Right.All,
  };
  export function of(role: Role): Right {
    return table[role] ?? Right.None;
  }
}

class Request {
  constructor(readonly role: Role, private wanted: Right) {}
  isAllowed(): boolean {
    return (rights.of(this.role) & this.wanted) === this.wanted;
  }
}

export default (context: { role: Role; wanted: Right }): boolean =>
  new Request(context.role, context.wanted).isAllowed();
